import { LotKey, atPointer, quantityThen } from '#kernel';
import type { EventAccount, LotThen, RecordedEvent, RecordedLine } from '../contract.js';
import { ERROR_REASONS } from './cbv.js';
import { type Naming, documentReference, isInstance, lotUri, namespaceOf, partyUri, placeUri } from './identifiers.js';
import { type Json, eventIdIn, isObject, textAt } from './json.js';
import { trc } from './terms.js';

export type EpcisEvent = Record<string, unknown>;

/** How EPCIS writes a kind of process where no process map says it (docs/spec/domain.md#epcis). */
interface KindInEpcis {
  readonly type: 'ObjectEvent' | 'AggregationEvent' | 'AssociationEvent' | 'TransformationEvent';
  readonly action: 'ADD' | 'OBSERVE' | 'DELETE' | null;
  readonly bizStep: string;
  readonly disposition: string;
}

const as = (type: KindInEpcis['type'], action: KindInEpcis['action'], bizStep: string, disposition: string): KindInEpcis => ({
  type,
  action,
  bizStep,
  disposition,
});
const KINDS: Readonly<Record<string, KindInEpcis>> = {
  creation: as('ObjectEvent', 'ADD', 'commissioning', 'active'),
  observation: as('ObjectEvent', 'OBSERVE', 'other', 'in_progress'),
  transformation: as('TransformationEvent', null, 'commissioning', 'active'),
  aggregation: as('AggregationEvent', 'ADD', 'packing', 'container_closed'),
  disaggregation: as('AggregationEvent', 'DELETE', 'unpacking', 'in_progress'),
  association: as('AssociationEvent', 'ADD', 'assembling', 'active'),
  transfer: as('ObjectEvent', 'OBSERVE', 'shipping', 'in_transit'),
  disposal: as('ObjectEvent', 'DELETE', 'destroying', 'destroyed'),
};

/** What an event of an unknown process did, according to the chain. */
function kindOf({ kind, containmentMode, inputs, outputs }: RecordedEvent): string {
  if (kind !== null && Object.hasOwn(KINDS, kind)) return kind;
  if (containmentMode > 0) return containmentMode === 1 ? 'aggregation' : 'disaggregation';
  if (outputs.length > 0) return inputs.length > 0 ? 'transformation' : 'creation';
  return 'observation';
}

/** A recorded event in EPCIS 2.0; a voided or superseded one carries its error declaration, under the same id. */
export function epcisEvent(account: EventAccount, naming: Naming): EpcisEvent {
  const { event, process } = account;
  const kind = kindOf(event);
  const { type, bizStep, disposition } = KINDS[kind]!;
  const action = actionOf(account, kind);
  const place = placeUri(event.location);
  const documents = event.documents.flatMap((document) => documentReference(document as Json, naming) ?? []);
  return withoutEmpty({
    type,
    eventID: `urn:uuid:${event.id}`,
    eventTime: event.eventTime ?? event.landedAt ?? event.recordTime,
    eventTimeZoneOffset: event.eventTimeZoneOffset ?? '+00:00',
    recordTime: event.recordTime,
    errorDeclaration: errorDeclaration(event),
    bizStep: process?.bizStep ?? bizStep,
    disposition: process?.disposition ?? disposition,
    readPoint: place === null ? null : { id: place },
    bizLocation: place === null ? null : { id: place },
    action,
    bizTransactionList: documents,
    ...goods(account, kind, naming),
    ...((kind === 'transfer' || (kind === 'creation' && action === 'OBSERVE')) && journey(account)),
    ilmd: kind === 'transformation' || (kind === 'creation' && action === 'ADD') ? instanceData(account) : null,
    ...extensions(event),
  });
}

/** An event as it was captured: nothing is added that its hash would contain, so that it is the same event for everybody. */
export function capturedEvent({ id, ...captured }: Json, { event }: EventAccount): EpcisEvent {
  // `id` is the same as `eventID`, by which others find an event.
  const eventID = eventIdIn({ ...captured, id }) ?? `urn:uuid:${event.id}`;
  return withoutEmpty({ ...captured, eventID, recordTime: event.recordTime, errorDeclaration: errorDeclaration(event) });
}

/** Goods from outside the tenant are made here as lots, and observed: who made them is another (CBV `receiving`). */
function actionOf({ process }: EventAccount, kind: string): string | null {
  const { action } = KINDS[kind]!;
  return kind === 'creation' && process?.action === 'OBSERVE' ? 'OBSERVE' : action;
}

function goods(account: EventAccount, kind: string, naming: Naming): EpcisEvent {
  const { event, contents } = account;
  const inputs = event.inputs.map((line) => lineOf(account, line));
  const outputs = event.outputs.map((line) => lineOf(account, line));
  switch (kind) {
    case 'transformation':
      return {
        ...lists(inputs, naming, 'inputEPCList', 'inputQuantityList'),
        ...lists(outputs, naming, 'outputEPCList', 'outputQuantityList'),
      };
    case 'aggregation':
      return { parentID: uriOf(outputs[0], naming), ...lists(inputs, naming, 'childEPCs', 'childQuantityList') };
    case 'disaggregation': {
      const children = contents.map((lot) => ({ lot, quantity: lot.remaining, uom: lot.uom }));
      return { parentID: uriOf(inputs[0], naming), ...lists(children, naming, 'childEPCs', 'childQuantityList') };
    }
    case 'association': {
      const [parent, ...rest] = [...outputs, ...inputs];
      return { parentID: uriOf(parent, naming), ...lists(rest, naming, 'childEPCs', 'childQuantityList') };
    }
    default:
      return lists([...inputs, ...outputs], naming, 'epcList', 'quantityList');
  }
}

/** A lot with the quantity that the event is about. */
interface Line {
  readonly lot: Pick<LotThen, 'tlc' | 'key' | 'serial' | 'isContainer'>;
  readonly quantity: number | string | null;
  readonly uom: string | null;
}

/** A lot with how much of it the event is about. */
function lineOf({ lots, event, process }: EventAccount, line: RecordedLine): Line {
  const lot = lots.find(({ tokenId }) => tokenId === line.tokenId);
  const { metadata, inputs, outputs } = event;
  return {
    lot: lot ?? { ...nameOf(line), isContainer: false },
    ...quantityThen({ metadata, inputs, outputs, fields: process?.fields ?? {} }, line, lot),
  };
}

/** Of a lot that has not landed. */
function nameOf({ tlc, gtin, serial, tokenId }: RecordedLine): Pick<LotThen, 'tlc' | 'key' | 'serial'> {
  const code = tlc ?? String(tokenId);
  // Lines of events that were stored without them have neither.
  return { tlc: code, serial: serial ?? null, key: LotKey.of({ tlc: code, gtin: gtin ?? null, serial: serial ?? null }).text };
}

const uriOf = (line: Line | undefined, naming: Naming): string | null => (line ? lotUri(line.lot, naming) : null);

export function lists(lines: readonly Line[], naming: Naming, epcs: string, quantities: string): EpcisEvent {
  const [instances, classes] = [lines.filter(({ lot }) => isInstance(lot)), lines.filter(({ lot }) => !isInstance(lot))];
  return {
    [epcs]: instances.map(({ lot }) => lotUri(lot, naming)),
    [quantities]: classes.map(({ lot, quantity, uom }) => ({
      epcClass: lotUri(lot, naming),
      ...(quantity !== null && { quantity: Number(quantity), ...(uom !== null && /^[A-Z0-9]{2,3}$/.test(uom) && { uom }) }),
    })),
  };
}

/** Both ends of a transfer: party and place, as far as the event says them. */
function journey({ event, process }: EventAccount): EpcisEvent {
  const at = (name: string): unknown => atPointer(event.metadata ?? {}, process?.fields[name] ?? `/${name}`);
  const receiving = process?.bizStep === 'receiving' || process?.bizStep === 'accepting' || process?.bizStep === 'arriving';
  const [source, destination] = [
    at('source') ?? (receiving ? null : event.location),
    at('destination') ?? (receiving ? event.location : null),
  ];
  const end = (name: string, place: unknown, actsHere: boolean): object[] => {
    const party = partyUri(place) ?? (actsHere ? event.actor.did : null);
    const where = placeUri(place);
    return [
      ...(party === null ? [] : [{ type: 'possessing_party', [name]: party }]),
      ...(where === null ? [] : [{ type: 'location', [name]: where }]),
    ];
  };
  return { sourceList: end('source', source, !receiving), destinationList: end('destination', destination, receiving) };
}

/** Instance and lot master data of the main output. */
function instanceData({ event, process, lots }: EventAccount): EpcisEvent {
  const main = event.outputs[0];
  const lot = lots.find(({ tokenId }) => tokenId === main?.tokenId);
  const at = (name: string, fallback: string): unknown => atPointer(event.metadata ?? {}, process?.fields[name] ?? fallback);
  const bestBefore = at('expiry', '/bestBefore');
  const description = at('productDescription', '/productDescription');
  return withoutEmpty({
    'cbvmda:lotNumber': lotNumber(lot ?? main),
    'cbvmda:bestBeforeDate': typeof bestBefore === 'string' ? bestBefore.slice(0, 10) : null,
    'cbvmda:descriptionShort': typeof description === 'string' ? description : null,
    [trc('assetType')]: main?.assetType ?? lot?.assetType ?? null,
  });
}

/** An item may have no lot number: then its code is its serial number. */
const lotNumber = (named: { readonly tlc: string | null; readonly serial?: string | null } | undefined): string | null =>
  named === undefined || named.tlc === named.serial ? null : named.tlc;

function errorDeclaration({ errorDeclaration: given }: RecordedEvent): object | null {
  if (!given) return null;
  const declared = given as Json;
  const reason = textAt(declared, 'reason');
  const corrective = Array.isArray(declared['correctiveEventIDs']) ? (declared['correctiveEventIDs'] as unknown[]) : [];
  return withoutEmpty({
    declarationTime: textAt(declared, 'declarationTime'),
    reason: reason !== null && ERROR_REASONS.has(reason) ? reason : null,
    correctiveEventIDs: corrective.map((id) => `urn:uuid:${String(id)}`),
  });
}

function extensions(event: RecordedEvent): EpcisEvent {
  const { processType, processMapName, processMapVersion, metadata, dataHash, ipfsCid, txHash, supersedes, senderMismatch } = event;
  const footprint = isObject(metadata) ? metadata['footprint'] : null;
  return {
    [trc('processType')]: processType,
    [trc('processMap')]: processMapName === null ? null : `${processMapName}@${processMapVersion}`,
    [trc('footprint')]: isObject(footprint) ? prefixed(footprint) : null,
    [trc('dataHash')]: dataHash,
    [trc('cid')]: ipfsCid,
    [trc('transaction')]: txHash,
    // The party is who signed; the content was prepared for another.
    [trc('senderMismatch')]: senderMismatch ? true : null,
    [trc('supersedes')]: supersedes === null ? null : `urn:uuid:${supersedes}`,
  };
}

/** Members inside an extension mean something to a reader of JSON-LD only with a namespace of their own. */
function prefixed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(prefixed);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key.includes(':') ? key : `trc:${key}`, prefixed(inner)]));
}

/** Without what is null or an empty list or object: EPCIS has no nulls. */
export function withoutEmpty(event: EpcisEvent): EpcisEvent {
  return Object.fromEntries(
    Object.entries(event).filter(
      ([, value]) => value !== null && value !== undefined && !(typeof value === 'object' && Object.keys(value).length === 0),
    ),
  );
}

const EPCIS_CONTEXT = 'https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld';

/** An EPCISDocument without its events. @param id of the document itself */
export const documentAround = (id: string, at: Date, naming: Naming) => ({
  '@context': [EPCIS_CONTEXT, { trc: namespaceOf(naming) }],
  id,
  type: 'EPCISDocument',
  schemaVersion: '2.0',
  creationDate: at.toISOString(),
});

/** A captured event may have a quarter of a megabyte, and each one of a page repeats the contexts of its document. */
const MOST_CHARACTERS = 256 * 1024;

function* pieces(events: readonly EpcisEvent[]): Generator<string> {
  let text = '';
  for (const event of events) {
    const next = JSON.stringify(event);
    text = text === '' ? next : `${text},\n${next}`;
    if (text.length < MOST_CHARACTERS) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

/** The document piece by piece, so that it is never whole in memory. */
export async function* documentText(
  around: ReturnType<typeof documentAround>,
  pages: AsyncIterable<readonly EpcisEvent[]>,
): AsyncGenerator<string> {
  yield `${JSON.stringify(around).slice(0, -1)},"epcisBody":{"eventList":[`;
  let first = true;
  for await (const page of pages)
    for (const text of pieces(page)) {
      yield first ? text : `,\n${text}`;
      first = false;
    }
  yield ']}}\n';
}
