import { BIZ_STEP, fullWord } from '../../epcis/cbv.js';
import { type EpcisEvent, epcisEvent } from '../../epcis/epcis-event.js';
import { lotUri, placeUri } from '../../epcis/identifiers.js';
import { type Json, isObject, textAt } from '../../epcis/json.js';
import { atPointer, plainGs1 } from '#kernel';
import { producerUnknown } from '../../errors.js';
import type { Dossier, Exporter, HistoryEntry } from '../dossier.js';
import { Requirements } from '../requirements.js';
import { UNTP_VERSION, classOf, credentialOf, facilityOf, measureOf } from '../untp.js';

/** UNTP digital traceability events of a lot: what was made, moved and done to it, as a verifiable credential (docs/spec/domain.md#untp). */
export const exporter: Exporter = {
  name: 'untp-dte',
  mediaType: `application/json; profile="untp-dte/${UNTP_VERSION}"`,
  about: `Events that made, moved and packed the lot, as UNTP digital traceability events ${UNTP_VERSION} (unsigned)`,
  needsFootprint: false,
  write(dossier) {
    const { lot, history } = dossier;
    const party = dossier.mints.get(lot.tokenId)?.party;
    if (!party) throw producerUnknown(lot.tlc);
    const required = new Requirements();
    const names = namesOf(dossier);
    const credentialSubject = history.map((entry, i) => new LifecycleEvent(entry, dossier, names, i).write(required));
    required.settle();
    const credential = credentialOf('DigitalTraceabilityEvent', `Events of ${lot.name}, lot ${lot.tlc}`, dossier, party);
    return `${JSON.stringify({ ...credential, credentialSubject })}\n`;
  },
};

/** Names of lots, by their URI. */
function namesOf({ lots, history, naming }: Dossier): ReadonlyMap<string, string> {
  const known = new Map([...lots.values()].map((lot) => [lot.assetType, lot.name]));
  const seen = history.flatMap(({ account }) => [...account.lots, ...account.contents]);
  return new Map(seen.map((lot) => [lotUri(lot, naming), known.get(lot.assetType) ?? lot.assetType ?? lot.tlc]));
}

type Facility = ReturnType<typeof facilityOf>;
const BIZ_STEPS = 'https://ref.gs1.org/cbv/BizStep';

/** One of the three kinds of events that UNTP has: something was made, moved, or done to. */
class LifecycleEvent {
  private readonly epcis: EpcisEvent;

  constructor(
    private readonly entry: HistoryEntry,
    { naming }: Dossier,
    private readonly names: ReadonlyMap<string, string>,
    private readonly index: number,
  ) {
    this.epcis = epcisEvent(entry.account, naming);
  }

  write(required: Requirements): object {
    const { event } = this.entry.account;
    const made = [
      ...this.products('outputEPCList', 'outputQuantityList'),
      ...(this.isCreation ? this.products('epcList', 'quantityList') : []),
    ];
    if (made.length > 0) {
      const inputProduct = this.products('inputEPCList', 'inputQuantityList');
      return this.about('MakeEvent', {
        inputProduct,
        outputProduct: made,
        madeAtFacility: this.place(required, 'madeAtFacility', this.here),
      });
    }
    if (event.kind === 'transfer') {
      const [from, to] = [this.end('source'), this.end('destination')];
      return this.about('MoveEvent', {
        movedProduct: this.observed,
        fromFacility: this.place(required, 'fromFacility', from),
        toFacility: this.place(required, 'toFacility', to),
      });
    }
    return this.about('ModifyEvent', {
      modifiedProduct: this.observed,
      modifiedAtFacility: this.place(required, 'modifiedAtFacility', this.here),
    });
  }

  private get isCreation(): boolean {
    return this.epcis['type'] === 'ObjectEvent' && this.epcis['action'] === 'ADD';
  }

  private about(type: string, what: object): object {
    const bizStep = textAt(this.epcis, 'bizStep') ?? 'other';
    return {
      type: [type, 'LifecycleEvent'],
      id: this.epcis['eventID'],
      name: this.entry.label,
      eventDate: this.epcis['eventTime'],
      activityType: classOf(fullWord(BIZ_STEP, bizStep), bizStep.split(/[:/]/).at(-1)!, BIZ_STEPS, 'Core Business Vocabulary, bizStep'),
      ...what,
    };
  }

  private place(required: Requirements, name: string, facility: Facility): Facility {
    const { label, account } = this.entry;
    const sentence = `a place with a name in the event "${label}" ${account.event.id}`;
    return required.recorded(facility, `/credentialSubject/${this.index}/${name}`, sentence);
  }

  private get here(): Facility {
    const { location } = this.entry.account.event;
    return facilityOf(placeUri(location), textAt(location, 'name') ?? this.entry.party?.name ?? null);
  }

  /** Of a transfer, as EPCIS tells it: what the event says, else its own place at the end of who recorded it. */
  private end(name: 'source' | 'destination'): Facility {
    const { event, process } = this.entry.account;
    const all = this.epcis[`${name}List`];
    const place = Array.isArray(all) ? (all as unknown[]).find((one) => isObject(one) && one['type'] === 'location') : undefined;
    const id = textAt(place, name);
    if (id === null) return null;
    const stated = atPointer(event.metadata ?? {}, process?.fields[name] ?? `/${name}`);
    const isHere = placeUri(event.location) === id;
    return facilityOf(id, textAt(stated, 'name') ?? (isHere ? (this.here?.name ?? null) : null));
  }

  private get observed(): object[] {
    const parent = this.epcis['parentID'];
    return [
      ...(typeof parent === 'string' ? [this.product(parent, 'item')] : []),
      ...this.products('epcList', 'quantityList'),
      ...this.products('childEPCs', 'childQuantityList'),
    ];
  }

  private products(epcs: string, quantities: string): object[] {
    const items = this.epcis[epcs];
    const classes = this.epcis[quantities];
    return [
      ...(Array.isArray(items) ? (items as string[]).map((id) => this.product(id, 'item')) : []),
      ...(Array.isArray(classes)
        ? (classes as Json[]).map(({ epcClass, quantity, uom }) => this.product(epcClass as string, 'batch', quantity, uom))
        : []),
    ];
  }

  /** A measure needs a unit: a quantity without one is in the EPCIS events only. */
  private product(id: string, idGranularity: 'batch' | 'item', quantity?: unknown, uom?: unknown): object {
    const code = plainGs1(id.split('/').at(-1)!);
    return {
      type: ['EventProduct'],
      product: {
        type: ['Product'],
        id,
        name: this.names.get(id) ?? code,
        idGranularity,
        ...(idGranularity === 'batch' ? { batchNumber: code } : { itemNumber: code }),
      },
      ...(typeof quantity === 'number' && typeof uom === 'string' && { quantity: measureOf(quantity, uom) }),
    };
  }
}
