import { type Problem, escapePointer, plainGs1, readOwnDocumentUri } from '#kernel';
import { TRANSACTION_TYPE, wordOf } from '../epcis/cbv.js';
import { readKey } from '../epcis/identifiers.js';
import { type Json, isObject, listIn, textAt } from '../epcis/json.js';
import { trc } from '../epcis/terms.js';
import {
  type CapturedItem,
  type Goods,
  type KnownLots,
  type KnownProcess,
  NameReader,
  chooseProcess,
  unknownInputs,
} from './captured-goods.js';

/** What is known when events are mapped. */
export interface CaptureContext {
  readonly tenant: string;
  readonly processes: readonly KnownProcess[];
  /** Landed lots. */
  readonly lots: KnownLots;
  /** Which event of the document makes a lot, by the text of its key. */
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

/** Lots that an event uses and makes, and GLNs of its places: what to look up before mapping. */
export function namesIn(
  event: Json,
  tenant: string,
): { readonly uses: readonly CapturedItem[]; readonly makes: string[]; readonly glns: string[] } {
  const { inputs, outputs } = goodsOf(event, '', new NameReader(tenant));
  const places = [event['readPoint'], event['bizLocation'], ...ends(event, 'source'), ...ends(event, 'destination')];
  return {
    uses: inputs,
    makes: outputs.map(({ key }) => key.text),
    glns: places.flatMap((place) => glnOf(place) ?? []),
  };
}

/** @param at pointer of the event in its document @param index of the event among those of the document */
export function mapEvent(event: Json, at: string, context: CaptureContext, index: number): MappedEvent | readonly Problem[] {
  const names = new NameReader(context.tenant);
  const goods = goodsOf(event, at, names);
  const process = chooseProcess(event, at, goods, context.processes, context.lots);
  const unknown = unknownInputs(goods, context, index);
  if (!('processType' in process)) return [...names.faults, process, ...unknown];
  const [main, others] = outputsOf(goods, process);
  const made = others.map((lot) => coProduct(lot, process));
  const faults = [...names.faults, ...unknown, ...made.filter((one): one is Problem => 'pointer' in one)];
  if (faults.length > 0) return faults;
  const metadata = metadataOf(event, { ...goods, main }, context);
  if (made.length > 0) metadata['coProducts'] = made;
  return {
    processType: process.processType,
    inputTokenIds: goods.inputs.map((item) => context.lots.meant(item)[0]!.tokenId),
    outputTlc: main?.code ?? null,
    metadata: placed(metadata, process.fields),
    pointer: (submitted) => at + pointerIn(event, submitted, { inputs: goods.inputs, main, others }, at),
  };
}

/** Which lots go in and which come out, by the type of the event (docs/spec/domain.md#epcis). */
function goodsOf(event: Json, at: string, names: NameReader): Goods {
  const of = (epcs: string, quantities: string): CapturedItem[] => names.of(event, at, epcs, quantities);
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

/** The main output is what the process makes, at any place of the list. */
function outputsOf({ outputs }: Goods, { gtins, outputAssetType }: KnownProcess): [CapturedItem | null, CapturedItem[]] {
  const own = outputs.findIndex(({ gtin }) => gtin !== null && gtins.get(gtin) === outputAssetType);
  const main = outputs[Math.max(own, 0)] ?? null;
  return [main, outputs.filter((lot) => lot !== main)];
}

function coProduct(
  { code, gtin, serial, quantity, pointer }: CapturedItem,
  { gtins, coProducts, processType }: KnownProcess,
): Json | Problem {
  const assetType = (gtin !== null && gtins.get(gtin)) || (coProducts.length === 1 ? coProducts[0]! : null);
  if (assetType === null)
    return {
      pointer,
      code: 'asset_type_unknown',
      message: `Lot ${code} could be any co-product of ${processType}: give it a GTIN of the map.`,
    };
  // A GTIN of the map is known from the asset type.
  const product = gtin !== null && !gtins.has(gtin) ? { gtin } : {};
  return { assetType, tlc: code, ...product, ...(serial !== null && { serial }), ...(quantity && { quantity: quantityOf(quantity) }) };
}

type Named = Goods & { readonly main: CapturedItem | null };

function metadataOf(event: Json, { inputs, main }: Named, { sites, lots }: CaptureContext): Record<string, unknown> {
  // By the lots that are meant: an item may be captured under another code than its lot has.
  const codes = inputs.map((item) => lots.meant(item)[0]!.code);
  const naming = (item: CapturedItem): Json => {
    const { tokenId, code } = lots.meant(item)[0]!;
    return codes.filter((one) => one === code).length > 1 ? { tokenId: Number(tokenId) } : { tlc: code };
  };
  const place = (named: unknown): Json | null => placeOf(named, sites);
  const ilmd = isObject(event['ilmd']) ? event['ilmd'] : {};
  const documents = listIn(event['bizTransactionList']).flatMap((one) => (isObject(one) ? documentOf(one) : []));
  const drawn = inputs.filter(({ quantity }) => quantity !== null && event['type'] === 'TransformationEvent');
  const members: Record<string, unknown> = {
    eventTime: event['eventTime'],
    eventTimeZoneOffset: event['eventTimeZoneOffset'],
    location: place(event['readPoint']) ?? place(event['bizLocation']),
    quantity: main?.quantity ? quantityOf(main.quantity) : null,
    inputs:
      drawn.length > 0 ? inputs.map((item) => ({ ...naming(item), ...(item.quantity && { quantity: quantityOf(item.quantity) }) })) : null,
    documents: documents.length > 0 ? documents : null,
    source: ends(event, 'source')
      .map(place)
      .find((one) => one !== null),
    destination: ends(event, 'destination')
      .map(place)
      .find((one) => one !== null),
    sscc: [main, ...inputs].find((lot) => lot?.isContainer)?.code,
    gtin: main?.gtin,
    serial: main?.serial,
    bestBefore: textAt(ilmd, 'cbvmda:bestBeforeDate') ?? textAt(ilmd, 'gs1:bestBeforeDate') ?? textAt(ilmd, 'cbvmda:itemExpirationDate'),
    productDescription: textAt(ilmd, 'cbvmda:descriptionShort'),
    footprint: isObject(event[trc('footprint')]) ? unprefixed(event[trc('footprint')]) : null,
  };
  const more = isObject(event[trc('metadata')]) ? (unprefixed(event[trc('metadata')]) as Json) : {};
  const known = Object.entries(members).filter(([, value]) => value !== null && value !== undefined);
  return { ...Object.fromEntries(known), ...more };
}

const quantityOf = ({ value, uom }: NonNullable<CapturedItem['quantity']>) => ({ value, ...(uom !== null && { uom }) });

/** Moves well-known values to where the process keeps them, if that is another place at the top of its metadata. */
function placed(metadata: Record<string, unknown>, fields: Readonly<Record<string, string>>): Record<string, unknown> {
  const moved = { ...metadata };
  for (const [name, pointer] of Object.entries({ expiry: '/bestBefore', ...fields })) {
    const from = name === 'expiry' ? 'bestBefore' : name;
    const to = pointer.slice(1);
    // Two fields at one place: the location is also one end of the transfer.
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
  if (gln !== null) return { ...sites.get(gln), id: placeLink(uri, gln), gln };
  const [, latitude, longitude] = /^geo:(-?[\d.]+),(-?[\d.]+)/.exec(uri) ?? [];
  if (latitude !== undefined) return { geo: { type: 'Point', coordinates: [Number(longitude), Number(latitude)] } };
  return { id: uri };
}

/** With its extension, which names a part of the place. */
function placeLink(uri: string, gln: string): string {
  const key = readKey(uri);
  return `https://id.gs1.org/414/${gln}${key?.finer === '254' ? `/254/${encodeURIComponent(key.part!)}` : ''}`;
}

function glnOf(named: unknown): string | null {
  const uri = isObject(named) ? textAt(named, 'id') : typeof named === 'string' ? named : null;
  const key = uri === null ? null : readKey(uri);
  return key && (key.key === '414' || key.key === '417') ? key.value : null;
}

/** The parties and places at one end of a transfer, the place before the party. */
function ends(event: Json, end: 'source' | 'destination'): unknown[] {
  const all = listIn(event[`${end}List`]).filter(isObject);
  return all.toSorted((a, b) => Number(isLocation(b)) - Number(isLocation(a))).map((one) => one[end]);
}

const isLocation = (one: Json): boolean => textAt(one, 'type')?.endsWith('location') ?? false;

function documentOf(one: Json): Json[] {
  const uri = textAt(one, 'bizTransaction');
  if (uri === null) return [];
  const named = readOwnDocumentUri(uri);
  if (named) return [{ type: named.type, number: named.number }];
  const word = wordOf(TRANSACTION_TYPE, textAt(one, 'type') ?? '');
  const [, issuer, own] = /^urn:epcglobal:cbv:bt:(\d{13}):(.+)$/.exec(uri) ?? [];
  const bare = own === undefined ? uri : plainGs1(own);
  return [
    {
      type: DOCUMENT_NAMES[word] ?? (word === '' ? 'REFERENCE' : word.slice(-60)),
      number: Array.from(bare).slice(0, 120).join(''),
      ...(issuer !== undefined && { issuer }),
    },
  ];
}

/** Names of documents in the process maps that come with the service. */
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

interface MappedGoods {
  readonly inputs: readonly CapturedItem[];
  readonly main: CapturedItem | null;
  readonly others: readonly CapturedItem[];
}

/** A pointer into the submission, as a pointer into the event that it was made from. */
function pointerIn(event: Json, submitted: string, { inputs, main, others }: MappedGoods, at: string): string {
  const [, part, name = '', index = ''] = submitted.split('/');
  const lot = (one: CapturedItem | null | undefined): string => one?.pointer.slice(at.length) ?? '';
  if (part === 'inputTokenIds') return lot(inputs[Number(name)]);
  if (part === 'outputTlc') return lot(main);
  if (part === 'processType') return '/bizStep';
  if (part !== 'metadata' || name === '') return '';
  // `trc:metadata` holds what EPCIS has no member for.
  const elsewhere = `/trc:metadata/${name}`;
  const more = event[trc('metadata')];
  if (isObject(more) && (name in more || `trc:${name}` in more)) return elsewhere;
  if (name === 'documents' && index !== '') return `/bizTransactionList/${index}`;
  if (name === 'inputs') return lot(inputs[Number(index)] ?? inputs[0]);
  if (name === 'coProducts') return lot(others[Number(index)]);
  if (OF_MAIN_OUTPUT.has(name)) return lot(main);
  return MEMBERS.get(name) ?? elsewhere;
}

const OF_MAIN_OUTPUT: ReadonlySet<string> = new Set(['quantity', 'sscc', 'gtin', 'serial']);
/** Which member of an event a member of the metadata comes from. */
const MEMBERS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    eventTime: '/eventTime',
    eventTimeZoneOffset: '/eventTimeZoneOffset',
    location: '/readPoint',
    source: '/sourceList',
    destination: '/destinationList',
    documents: '/bizTransactionList',
    bestBefore: `/ilmd/${escapePointer('cbvmda:bestBeforeDate')}`,
    productDescription: `/ilmd/${escapePointer('cbvmda:descriptionShort')}`,
  }),
);

/** Members inside an extension without their prefix. */
function unprefixed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unprefixed);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key.replace(/^trc:/, ''), unprefixed(inner)]));
}
