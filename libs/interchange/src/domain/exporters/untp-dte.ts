import { BIZ_STEP, DISPOSITION, fullWord } from '../cbv.js';
import { type Dossier, type LotExporter, type Step } from '../dossier.js';
import { producerUnknown } from '../errors.js';
import { type EpcisEvent, exportEvent, withoutEmpty } from '../export-event.js';
import { unescaped } from '../gs1.js';
import { lotUri } from '../identifiers.js';
import { type Json, isObject, textAt } from '../json.js';
import { credentialContext, issuerOf } from '../untp.js';

/** UNTP digital traceability events 0.6.0: a lot's history in the shapes of EPCIS, as a verifiable credential (domain-decisions §8). */
export const exporter: LotExporter = {
  name: 'untp-dte',
  mediaType: 'application/json; profile="untp-dte/0.6.0"',
  about: 'Events that made, moved and packed the lot, as UNTP digital traceability events 0.6.0 (unsigned)',
  needsFootprint: false,
  write(dossier) {
    const { lot, at, history, documentId } = dossier;
    const party = dossier.mints.get(lot.tokenId)?.party;
    if (!party) throw producerUnknown(lot.tlc);
    const names = namesOf(dossier);
    return `${JSON.stringify({
      type: ['DigitalTraceabilityEvent', 'VerifiableCredential'],
      '@context': credentialContext('dte'),
      id: `urn:uuid:${documentId}`,
      issuer: issuerOf(party),
      validFrom: at.toISOString(),
      credentialSubject: history.map((step) => eventOf(step, dossier, names)),
    })}\n`;
  },
};

/** What things are called, by their URI. */
function namesOf({ lots, history, naming }: Dossier): ReadonlyMap<string, string> {
  const known = new Map([...lots.values()].map((lot) => [lot.assetType, lot.name]));
  const seen = history.flatMap(({ account }) => [...account.lots, ...account.contents]);
  return new Map(seen.map((lot) => [lotUri(lot, naming), known.get(lot.assetType) ?? lot.assetType ?? lot.tlc]));
}

const LISTS = ['epcList', 'inputEPCList', 'outputEPCList'];
const QUANTITIES = ['quantityList', 'childQuantityList', 'inputQuantityList', 'outputQuantityList'];

function eventOf({ account, label }: Step, { naming }: Dossier, names: ReadonlyMap<string, string>): EpcisEvent {
  const told = exportEvent(account, naming);
  const item = (id: unknown): object | null =>
    typeof id === 'string' ? { type: ['Item'], id, name: names.get(id) ?? unescaped(id.split('/').at(-1)!) } : null;
  const items = (list: unknown): (object | null)[] => (Array.isArray(list) ? list.map(item) : []);
  return withoutEmpty({
    type: [told['type'], 'Event'],
    id: told['eventID'],
    processType: label,
    eventTime: told['eventTime'],
    action: typeof told['action'] === 'string' ? told['action'].toLowerCase() : null,
    disposition: fullWord(DISPOSITION, textAt(told, 'disposition') ?? ''),
    bizStep: fullWord(BIZ_STEP, textAt(told, 'bizStep') ?? ''),
    bizLocation: textAt(told['bizLocation'], 'id'),
    parentEPC: item(told['parentID']),
    childEPCList: items(told['childEPCs']),
    ...Object.fromEntries(LISTS.map((name) => [name, items(told[name])])),
    ...Object.fromEntries(QUANTITIES.map((name) => [name, quantitiesOf(told[name], names)])),
  });
}

/** Without a quantity there is nothing to say here: an unmeasured lot stands in the events of EPCIS only. */
function quantitiesOf(list: unknown, names: ReadonlyMap<string, string>): object[] {
  const all = Array.isArray(list) ? (list as unknown[]).filter(isObject) : [];
  return all.flatMap(({ epcClass, quantity, uom }: Json) =>
    typeof epcClass !== 'string' || quantity === undefined
      ? []
      : [{ productId: epcClass, productName: names.get(epcClass) ?? epcClass, quantity, ...(uom !== undefined && { uom }) }],
  );
}
