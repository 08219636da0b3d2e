import { atPointer } from '#kernel';
import { ERROR_REASONS } from './cbv.js';
import { documentReference, isInstance, lotUri, partyUri, placeUri } from './identifiers.js';
import { type Json, isObject, textAt } from './json.js';
import type { EventAccount, LotThen, RecordedEvent, RecordedLine } from '../contract.js';
import type { Naming } from './recorded.js';

export type EpcisEvent = Record<string, unknown>;

/** How a kind of process is told in EPCIS, and what it is called where no process map says (domain-decisions §8). */
interface Told {
  readonly type: 'ObjectEvent' | 'AggregationEvent' | 'AssociationEvent' | 'TransformationEvent';
  readonly action: 'ADD' | 'OBSERVE' | 'DELETE' | null;
  readonly bizStep: string;
  readonly disposition: string;
}

const told = (type: Told['type'], action: Told['action'], bizStep: string, disposition: string): Told => ({
  type,
  action,
  bizStep,
  disposition,
});
const KINDS: Readonly<Record<string, Told>> = {
  creation: told('ObjectEvent', 'ADD', 'commissioning', 'active'),
  observation: told('ObjectEvent', 'OBSERVE', 'other', 'in_progress'),
  transformation: told('TransformationEvent', null, 'commissioning', 'active'),
  aggregation: told('AggregationEvent', 'ADD', 'packing', 'container_closed'),
  disaggregation: told('AggregationEvent', 'DELETE', 'unpacking', 'in_progress'),
  association: told('AssociationEvent', 'ADD', 'assembling', 'active'),
  transfer: told('ObjectEvent', 'OBSERVE', 'shipping', 'in_transit'),
  disposal: told('ObjectEvent', 'DELETE', 'destroying', 'destroyed'),
};

/** What an event of an unknown process did, by what the chain says. */
function kindOf({ kind, containmentMode, inputs, outputs }: RecordedEvent): string {
  if (kind !== null && Object.hasOwn(KINDS, kind)) return kind;
  if (containmentMode > 0) return containmentMode === 1 ? 'aggregation' : 'disaggregation';
  if (outputs.length > 0) return inputs.length > 0 ? 'transformation' : 'creation';
  return 'observation';
}

/** A recorded event in EPCIS 2.0; a voided or superseded one carries its error declaration, under the same id. */
export function exportEvent(account: EventAccount, naming: Naming): EpcisEvent {
  const { event, process } = account;
  const kind = kindOf(event);
  const { type, action, bizStep, disposition } = KINDS[kind]!;
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
    ...(kind === 'transfer' && journey(account)),
    ilmd: kind === 'creation' || kind === 'transformation' ? instanceData(account) : null,
    ...extensions(event),
  });
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
export interface Line {
  readonly lot: Pick<LotThen, 'tlc' | 'gtin' | 'isContainer'>;
  readonly quantity: number | string | null;
  readonly uom: string | null;
}

/** What the event drew or made; what it merely saw, packed or handed on, as much as there was. */
function lineOf({ lots }: EventAccount, line: RecordedLine): Line {
  const lot = lots.find(({ tokenId }) => tokenId === line.tokenId);
  const seen = line.quantity === null && lot !== undefined;
  return {
    lot: lot ?? { tlc: line.tlc ?? String(line.tokenId), gtin: null, isContainer: false },
    quantity: seen ? lot.remaining : line.quantity,
    uom: seen ? lot.uom : line.uom,
  };
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

/** From whom to whom and from where to where, as far as the event says it. */
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

/** Of the main output: what a lot is born with. */
function instanceData({ event, process, lots }: EventAccount): EpcisEvent {
  const main = event.outputs[0];
  const lot = lots.find(({ tokenId }) => tokenId === main?.tokenId);
  const at = (name: string, fallback: string): unknown => atPointer(event.metadata ?? {}, process?.fields[name] ?? fallback);
  const bestBefore = at('expiry', '/bestBefore');
  const description = at('productDescription', '/productDescription');
  return withoutEmpty({
    'cbvmda:lotNumber': lot?.tlc ?? main?.tlc ?? null,
    'cbvmda:bestBeforeDate': typeof bestBefore === 'string' ? bestBefore.slice(0, 10) : null,
    'cbvmda:descriptionShort': typeof description === 'string' ? description : null,
    'trc:assetType': main?.assetType ?? lot?.assetType ?? null,
  });
}

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
  const { processType, processMapName, processMapVersion, metadata, dataHash, ipfsCid, txHash, supersedes } = event;
  const footprint = isObject(metadata) ? metadata['footprint'] : null;
  return {
    'trc:processType': processType,
    'trc:processMap': processMapName === null ? null : `${processMapName}@${processMapVersion}`,
    'trc:footprint': isObject(footprint) ? prefixed(footprint) : null,
    'trc:dataHash': dataHash,
    'trc:cid': ipfsCid,
    'trc:transaction': txHash,
    'trc:supersedes': supersedes === null ? null : `urn:uuid:${supersedes}`,
  };
}

/** Members inside an extension mean something to a reader of JSON-LD only with a namespace of their own. */
export function prefixed(value: unknown): unknown {
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
