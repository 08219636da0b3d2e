import { type Problem, escapePointer } from '#kernel';
import { TRANSACTION_TYPE, wordOf } from './cbv.js';
import { type CapturedLot, LotNames } from './captured-lot.js';
import { type Goods, type KnownLot, type KnownProcess, chooseProcess } from './choose-process.js';
import { readKey, unescaped } from './gs1.js';
import { type Json, isObject, textAt } from './json.js';

/** What is known when events are mapped. */
export interface CaptureContext {
  readonly tenant: string;
  readonly processes: readonly KnownProcess[];
  /** Landed lots by code. */
  readonly lots: ReadonlyMap<string, KnownLot>;
  /** Which event of the document makes a lot, by code. */
  readonly made: ReadonlyMap<string, number>;
  /** Sites by GLN, in the shape of a location. */
  readonly sites: ReadonlyMap<string, Json>;
}

/** An event of the tenant's own processes, made from a captured one. */
export interface MappedEvent {
  readonly processType: string;
  readonly inputTokenIds: readonly bigint[];
  readonly outputTlc: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Where in the document a pointer into the submission came from. */
  readonly pointer: (submitted: string) => string;
}

/** Codes of lots that an event takes and makes, and GLNs of its places: what to look up before mapping. */
export function namesIn(event: Json, tenant: string): { readonly codes: string[]; readonly makes: string[]; readonly glns: string[] } {
  const { inputs, outputs } = goodsOf(event, '', new LotNames(tenant));
  const places = [event['readPoint'], event['bizLocation'], ...ends(event, 'source'), ...ends(event, 'destination')];
  return {
    codes: inputs.map(({ code }) => code),
    makes: outputs.map(({ code }) => code),
    glns: places.flatMap((place) => glnOf(place) ?? []),
  };
}

/** @param at pointer of the event in its document */
export function mapEvent(event: Json, at: string, context: CaptureContext): MappedEvent | readonly Problem[] {
  const names = new LotNames(context.tenant);
  const goods = goodsOf(event, at, names);
  const process = chooseProcess(event, at, goods, context.processes, context.lots);
  const unknown = unknownInputs(goods, context);
  if (!('processType' in process)) return [...names.faults, process, ...unknown];
  const [main, others] = outputsOf(goods, process);
  const made = others.map((lot) => coProduct(lot, process));
  const faults = [...names.faults, ...unknown, ...made.filter((one): one is Problem => 'pointer' in one)];
  if (faults.length > 0) return faults;
  const metadata = metadataOf(event, { ...goods, main }, context);
  if (made.length > 0) metadata['coProducts'] = made;
  return {
    processType: process.processType,
    inputTokenIds: goods.inputs.map(({ code }) => context.lots.get(code)!.tokenId),
    outputTlc: main?.code ?? null,
    metadata: placed(metadata, process.fields),
    pointer: (submitted) => at + pointerIn(event, submitted, { inputs: goods.inputs, main, others }, at),
  };
}

/** Which lots go in and which come out, by the type of the event (domain-decisions §8). */
function goodsOf(event: Json, at: string, names: LotNames): Goods {
  const of = (epcs: string, quantities: string): CapturedLot[] => names.of(event, at, epcs, quantities);
  switch (event['type']) {
    case 'TransformationEvent':
      return { inputs: of('inputEPCList', 'inputQuantityList'), outputs: of('outputEPCList', 'outputQuantityList') };
    case 'AggregationEvent':
    case 'AssociationEvent': {
      const parent = names.read(event['parentID'], `${at}/parentID`, null);
      const children = of('childEPCs', 'childQuantityList');
      if (event['type'] === 'AssociationEvent') return { inputs: parent ? [parent, ...children] : children, outputs: [] };
      if (event['action'] === 'ADD') return { inputs: children, outputs: parent ? [parent] : [] };
      return { inputs: event['action'] === 'DELETE' && parent ? [parent] : children, outputs: [] };
    }
    default: {
      const named = of('epcList', 'quantityList');
      return event['action'] === 'ADD' ? { inputs: [], outputs: named } : { inputs: named, outputs: [] };
    }
  }
}

function unknownInputs({ inputs }: Goods, { lots, made }: CaptureContext): Problem[] {
  return inputs.flatMap(({ code, gtin, pointer }, i): Problem[] => {
    const lot = lots.get(code);
    const maker = lot ? undefined : made.get(code);
    if (maker !== undefined) return [{ pointer, code: 'lot_not_landed', message: notLanded(code, maker) }];
    if (!lot) return [{ pointer, code: 'lot_not_found', message: `No lot ${code} has landed; an event uses only what is there already.` }];
    if (gtin !== null && lot.gtin !== null && lot.gtin.padStart(14, '0') !== gtin)
      return [{ pointer, code: 'other_product', message: `Lot ${code} is of GTIN ${lot.gtin}, not ${gtin}.` }];
    return inputs.findIndex((one) => one.code === code) < i ? [{ pointer, code: 'repeated', message: `Lot ${code} is named twice.` }] : [];
  });
}

/** The chain numbers lots when they land, and an event names what it takes by number. */
const notLanded = (code: string, maker: number): string =>
  `Lot ${code} is made by event ${maker} of this document and has no number on chain before that has landed. Send the transaction of event ${maker}, then capture this event again.`;

/** The main output is what the process makes, wherever it stands in the list. */
function outputsOf({ outputs }: Goods, { gtins, outputAssetType }: KnownProcess): [CapturedLot | null, CapturedLot[]] {
  const own = outputs.findIndex(({ gtin }) => gtin !== null && gtins.get(gtin) === outputAssetType);
  const main = outputs[Math.max(own, 0)] ?? null;
  return [main, outputs.filter((lot) => lot !== main)];
}

function coProduct({ code, gtin, quantity, pointer }: CapturedLot, { gtins, coProducts, processType }: KnownProcess): Json | Problem {
  const assetType = (gtin !== null && gtins.get(gtin)) || (coProducts.length === 1 ? coProducts[0]! : null);
  if (assetType === null)
    return {
      pointer,
      code: 'asset_type_unknown',
      message: `Nothing says which co-product of ${processType} lot ${code} is: give it a GTIN of the map.`,
    };
  return { assetType, tlc: code, ...(quantity && { quantity: quantityOf(quantity) }) };
}

type Named = Goods & { readonly main: CapturedLot | null };

function metadataOf(event: Json, { inputs, main }: Named, { sites }: CaptureContext): Record<string, unknown> {
  const place = (named: unknown): Json | null => placeOf(named, sites);
  const ilmd = isObject(event['ilmd']) ? event['ilmd'] : {};
  const documents = list(event['bizTransactionList']).flatMap((one) => (isObject(one) ? documentOf(one) : []));
  const drawn = inputs.filter(({ quantity }) => quantity !== null && event['type'] === 'TransformationEvent');
  const told: Record<string, unknown> = {
    eventTime: event['eventTime'],
    eventTimeZoneOffset: event['eventTimeZoneOffset'],
    location: place(event['readPoint']) ?? place(event['bizLocation']),
    quantity: main?.quantity ? quantityOf(main.quantity) : null,
    inputs:
      drawn.length > 0 ? inputs.map(({ code, quantity }) => ({ tlc: code, ...(quantity && { quantity: quantityOf(quantity) }) })) : null,
    documents: documents.length > 0 ? documents : null,
    source: ends(event, 'source')
      .map(place)
      .find((one) => one !== null),
    destination: ends(event, 'destination')
      .map(place)
      .find((one) => one !== null),
    sscc: [main, ...inputs].find((lot) => lot?.isContainer)?.code,
    gtin: main?.gtin,
    bestBefore: textAt(ilmd, 'cbvmda:bestBeforeDate') ?? textAt(ilmd, 'gs1:bestBeforeDate') ?? textAt(ilmd, 'cbvmda:itemExpirationDate'),
    productDescription: textAt(ilmd, 'cbvmda:descriptionShort'),
    footprint: isObject(event['trc:footprint']) ? unprefixed(event['trc:footprint']) : null,
  };
  const more = isObject(event['trc:metadata']) ? (unprefixed(event['trc:metadata']) as Json) : {};
  const known = Object.entries(told).filter(([, value]) => value !== null && value !== undefined);
  return { ...Object.fromEntries(known), ...more };
}

const quantityOf = ({ value, uom }: NonNullable<CapturedLot['quantity']>) => ({ value, ...(uom !== null && { uom }) });

/** Where a process keeps a well-known value elsewhere than under its reserved key, at the top of its metadata. */
function placed(metadata: Record<string, unknown>, fields: Readonly<Record<string, string>>): Record<string, unknown> {
  const moved = { ...metadata };
  for (const [name, pointer] of Object.entries({ expiry: '/bestBefore', ...fields })) {
    const from = name === 'expiry' ? 'bestBefore' : name;
    const to = pointer.slice(1);
    // Two names of one place: the location stands for the end of a journey that it is.
    if (to.includes('/') || to === from || moved[from] === undefined) continue;
    if (moved[to] === undefined) moved[to] = moved[from];
    delete moved[from];
  }
  return moved;
}

function placeOf(named: unknown, sites: CaptureContext['sites']): Json | null {
  const uri = isObject(named) ? textAt(named, 'id') : typeof named === 'string' ? named : null;
  if (uri === null) return null;
  const gln = glnOf(named);
  if (gln !== null) return { ...sites.get(gln), id: `https://id.gs1.org/414/${gln}`, gln };
  const [, latitude, longitude] = /^geo:(-?[\d.]+),(-?[\d.]+)/.exec(uri) ?? [];
  if (latitude !== undefined) return { geo: { type: 'Point', coordinates: [Number(longitude), Number(latitude)] } };
  return { id: uri };
}

function glnOf(named: unknown): string | null {
  const uri = isObject(named) ? textAt(named, 'id') : typeof named === 'string' ? named : null;
  const key = uri === null ? null : readKey(uri);
  return key && (key.key === '414' || key.key === '417') ? key.value : null;
}

/** The parties and places at one end of a journey, the place before the party. */
function ends(event: Json, end: 'source' | 'destination'): unknown[] {
  const all = list(event[`${end}List`]).filter(isObject);
  return all.toSorted((a, b) => Number(isLocation(b)) - Number(isLocation(a))).map((one) => one[end]);
}

const isLocation = (one: Json): boolean => textAt(one, 'type')?.endsWith('location') ?? false;

function documentOf(one: Json): Json[] {
  const uri = textAt(one, 'bizTransaction');
  if (uri === null) return [];
  const [, type, number] = /\/id\/[^/]+\/doc\/([^/]+)\/([^/?#]+)$/.exec(uri) ?? [];
  if (type !== undefined) return [{ type: unescaped(type), number: unescaped(number!) }];
  const word = wordOf(TRANSACTION_TYPE, textAt(one, 'type') ?? '');
  const bare = /^urn:epcglobal:cbv:bt:\d+:(.+)$/.exec(uri)?.[1] ?? uri;
  return [{ type: DOCUMENT_NAMES[word] ?? (word === '' ? 'REFERENCE' : word.slice(-60)), number: Array.from(bare).slice(0, 120).join('') }];
}

/** Names of documents in our own process maps. */
const DOCUMENT_NAMES: Readonly<Record<string, string>> = {
  bol: 'BILL_OF_LADING',
  po: 'PURCHASE_ORDER',
  poc: 'PURCHASE_ORDER_CONFIRMATION',
  inv: 'INVOICE',
  desadv: 'DESPATCH_ADVICE',
  recadv: 'RECEIVING_ADVICE',
  prodorder: 'PRODUCTION_ORDER',
  testres: 'TEST_REPORT',
  testprd: 'TEST_PROCEDURE',
  cert: 'CERTIFICATE',
};

/** `/metadata/…` of the submission, back to where the document says it; `trc:metadata` holds what EPCIS has no member for. */
function pointerIn(
  event: Json,
  submitted: string,
  {
    inputs,
    main,
    others,
  }: { readonly inputs: readonly CapturedLot[]; readonly main: CapturedLot | null; readonly others: readonly CapturedLot[] },
  at: string,
): string {
  const [, part, name = '', index = ''] = submitted.split('/');
  const lot = (one: CapturedLot | null | undefined): string => one?.pointer.slice(at.length) ?? '';
  if (part === 'inputTokenIds') return lot(inputs[Number(name)]);
  if (part === 'outputTlc') return lot(main);
  if (part === 'processType') return '/bizStep';
  if (part !== 'metadata') return '';
  if (isObject(event['trc:metadata']) && (name in event['trc:metadata'] || `trc:${name}` in event['trc:metadata']))
    return `/trc:metadata/${name}`;
  switch (name) {
    case '':
      return '';
    case 'eventTime':
    case 'eventTimeZoneOffset':
      return `/${name}`;
    case 'location':
      return '/readPoint';
    case 'source':
    case 'destination':
      return `/${name}List`;
    case 'documents':
      return index === '' ? '/bizTransactionList' : `/bizTransactionList/${index}`;
    case 'quantity':
    case 'sscc':
    case 'gtin':
      return lot(main);
    case 'inputs':
      return lot(inputs[Number(index)] ?? inputs[0]);
    case 'coProducts':
      return lot(others[Number(index)]);
    case 'bestBefore':
      return `/ilmd/${escapePointer('cbvmda:bestBeforeDate')}`;
    case 'productDescription':
      return `/ilmd/${escapePointer('cbvmda:descriptionShort')}`;
    default:
      return `/trc:metadata/${name}`;
  }
}

/** The opposite of how members inside an extension are written. */
function unprefixed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unprefixed);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key.replace(/^trc:/, ''), unprefixed(inner)]));
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);
