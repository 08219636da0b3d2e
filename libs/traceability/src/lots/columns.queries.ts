import type { LotRow } from './lot.js';
import { arrayParameter, type Item, type ItemType } from '#persistence';

/**
 * One line a column: the property of the domain class, its column and type. The mapping, the lists of the hand-written SQL
 * and the reading of rows all come from it, so that they cannot differ.
 */
export interface Column<Row> {
  readonly property: keyof Row & string;
  readonly name: string;
  readonly type: ColumnType;
  readonly key?: true;
  readonly nullable?: true;
}

/**
 * `token`: bigint column and bigint here; `block`: bigint column, number here; `micro`: millionths in a numeric column; `decimal`: numeric,
 * number or text here; `tokens` and `micros`: arrays of them; `json`: jsonb, any value here.
 */
export type ColumnType =
  | 'uuid'
  | 'text'
  | 'boolean'
  | 'smallint'
  | 'integer'
  | 'timestamptz'
  | 'token'
  | 'block'
  | 'micro'
  | 'decimal'
  | 'tokens'
  | 'micros'
  | 'json';

const SQL_TYPES: Readonly<Record<ColumnType, string>> = {
  uuid: 'uuid',
  text: 'text',
  boolean: 'boolean',
  smallint: 'smallint',
  integer: 'integer',
  timestamptz: 'timestamptz',
  token: 'bigint',
  block: 'bigint',
  micro: 'numeric',
  decimal: 'numeric',
  tokens: 'bigint[]',
  micros: 'numeric[]',
  json: 'jsonb',
};

const READ: Readonly<Partial<Record<ColumnType, (stored: string) => unknown>>> = {
  token: BigInt,
  micro: BigInt,
  block: Number,
  decimal: Number,
};

/** Property after property: what `fromEntries` makes is a dictionary, five times as slow to make and to copy as an object. */
export function readRow<Row>(columns: readonly Column<Row>[], stored: Readonly<Record<string, unknown>>): Row {
  const row: Record<string, unknown> = {};
  for (const { property, name, type } of columns) {
    const value = stored[name];
    const read = READ[type];
    row[property] = read && value !== null ? read(value as string) : value;
  }
  return row as Row;
}

/** How a column's values travel in an array: those without a simple binary form as text, cast where they arrive. */
const TRAVELS: Readonly<Partial<Record<ColumnType, { readonly as: ItemType; readonly of?: (value: never) => Item }>>> = {
  token: { as: 'bigint' },
  block: { as: 'bigint' },
  micro: { as: 'text' },
  decimal: { as: 'text' },
  tokens: { as: 'text', of: (values: readonly unknown[]) => `{${values.join(',')}}` },
  micros: { as: 'text', of: (values: readonly unknown[]) => `{${values.join(',')}}` },
  json: { as: 'jsonb', of: (value: unknown) => JSON.stringify(value) },
};

const itemType = (type: ColumnType): ItemType => TRAVELS[type]?.as ?? (type as ItemType);

/** The values of one column as the parameter of an `unnest`. */
export function columnParameter(type: ColumnType, values: readonly unknown[]): Buffer {
  const of = TRAVELS[type]?.of as ((value: unknown) => Item) | undefined;
  return arrayParameter(
    itemType(type),
    of ? values.map((value) => (value === null || value === undefined ? null : of(value))) : (values as readonly Item[]),
  );
}

export const columnParameters = <Row>(columns: readonly Column<Row>[], rows: readonly Row[]): Buffer[] =>
  columns.map(({ property, type }) =>
    columnParameter(
      type,
      rows.map((row) => row[property]),
    ),
  );

/** `select … from unnest($1::uuid[], …)`: the rows whose columns these parameters are. */
export function unnested(columns: readonly { readonly name: string; readonly type: ColumnType }[], from = 1): string {
  const values = columns.map(({ type }, i) => (itemType(type) === 'text' && type !== 'text' ? `u.c${i}::${SQL_TYPES[type]}` : `u.c${i}`));
  const arrays = columns.map(({ type }, i) => `$${from + i}::${itemType(type)}[]`);
  return `select ${values.join(', ')} from unnest(${arrays.join(', ')}) as u(${columns.map((_, i) => `c${i}`).join(', ')})`;
}

/** Token ids on their way to the database and back as one text each: the driver's arrays and rows would cost more than the statement. */
export const idList = (ids: Iterable<bigint>): string => `{${[...ids].join(',')}}`;

/** @param text of `string_agg(…::text, ',')`; null where there was none */
export const idsIn = (text: string | null): bigint[] => text?.split(',').map(BigInt) ?? [];

/**
 * A list of ids as a parameter that the planner does not read: of ten thousand it believes that reading a whole table is cheaper
 * than one walk along an index.
 */
export const unseen = (parameter: string): string => `(select ${parameter}::bigint[])::bigint[]`;

/** How a column is written into the text of a row, and read from it: `row(…)::text` is cheaper than forty values of the driver. */
export const textSql = ({ name, type }: { readonly name: string; readonly type: ColumnType }, table: string): string =>
  type === 'timestamptz' ? `extract(epoch from ${table}.${name})` : `${table}.${name}`;

export function fromText(type: ColumnType, text: string | null): unknown {
  if (text === null) return null;
  switch (type) {
    case 'boolean':
      return text === 't';
    case 'smallint':
    case 'integer':
      return Number(text);
    case 'timestamptz':
      return new Date(Math.round(1000 * Number(text)));
    case 'json':
      return JSON.parse(text);
    case 'tokens':
    case 'micros':
      return text.slice(1, -1).split(',').filter(Boolean);
    default:
      return READ[type]?.(text) ?? text;
  }
}

/** The table of lots, one line for each column: what reads or writes whole lots is made from this list. */
export const LOT_COLUMNS: readonly Column<LotRow>[] = [
  { property: 'tenantId', name: 'tenant_id', type: 'uuid', key: true },
  { property: 'tokenId', name: 'token_id', type: 'token', key: true },
  { property: 'fromBlock', name: 'from_block', type: 'block', key: true },
  { property: 'fromLog', name: 'from_log', type: 'integer', key: true },
  { property: 'toBlock', name: 'to_block', type: 'block', nullable: true },
  { property: 'toLog', name: 'to_log', type: 'integer', nullable: true },
  { property: 'id', name: 'id', type: 'uuid' },
  { property: 'chainId', name: 'chain_id', type: 'block' },
  { property: 'contract', name: 'contract', type: 'text' },
  { property: 'tlc', name: 'tlc', type: 'text' },
  { property: 'tlcHash', name: 'tlc_hash', type: 'text' },
  { property: 'key', name: 'key', type: 'text' },
  { property: 'resolved', name: 'resolved', type: 'boolean' },
  { property: 'assetType', name: 'asset_type', type: 'text', nullable: true },
  { property: 'assetTypeHash', name: 'asset_type_hash', type: 'text' },
  { property: 'assetTypeName', name: 'asset_type_name', type: 'text', nullable: true },
  { property: 'gtin', name: 'gtin', type: 'text', nullable: true },
  { property: 'serial', name: 'serial', type: 'text', nullable: true },
  { property: 'processMapName', name: 'process_map_name', type: 'text', nullable: true },
  { property: 'processMapVersion', name: 'process_map_version', type: 'text', nullable: true },
  { property: 'uom', name: 'uom', type: 'text', nullable: true },
  { property: 'unitKg', name: 'unit_kg', type: 'decimal', nullable: true },
  { property: 'quantity', name: 'quantity', type: 'micro', nullable: true },
  { property: 'depth', name: 'depth', type: 'smallint' },
  { property: 'expiresAt', name: 'expires_at', type: 'timestamptz', nullable: true },
  { property: 'mintEventId', name: 'mint_event_id', type: 'uuid' },
  { property: 'mintTx', name: 'mint_tx', type: 'text' },
  { property: 'mintBlock', name: 'mint_block', type: 'block' },
  { property: 'mintedAt', name: 'minted_at', type: 'timestamptz' },
  { property: 'dataHash', name: 'data_hash', type: 'text' },
  { property: 'metadataCid', name: 'metadata_cid', type: 'text' },
  { property: 'splitFrom', name: 'split_from', type: 'token', nullable: true },
  { property: 'custodian', name: 'custodian', type: 'text' },
  { property: 'pendingCustodian', name: 'pending_custodian', type: 'text', nullable: true },
  { property: 'offerNo', name: 'offer_no', type: 'token', nullable: true },
  { property: 'containerTokenId', name: 'container_token_id', type: 'token', nullable: true },
  { property: 'remaining', name: 'remaining', type: 'micro', nullable: true },
  { property: 'leftSupplyChain', name: 'left_supply_chain', type: 'micro' },
  { property: 'usedUp', name: 'used_up', type: 'boolean' },
  { property: 'retiredAt', name: 'retired_at', type: 'timestamptz', nullable: true },
  { property: 'retireReason', name: 'retire_reason', type: 'text', nullable: true },
  { property: 'recalledAt', name: 'recalled_at', type: 'timestamptz', nullable: true },
  { property: 'holdsRecalled', name: 'holds_recalled', type: 'boolean' },
];

/** Properties that two lots do not share, however similar they are. */
const OWN_PROPERTIES = [
  ...([
    'tenantId',
    'tokenId',
    'fromBlock',
    'fromLog',
    'toBlock',
    'toLog',
    'id',
    'chainId',
    'contract',
    'tlc',
    'tlcHash',
    'key',
    'serial',
  ] as const),
  ...(['assetTypeHash', 'quantity', 'expiresAt', 'mintEventId', 'mintTx', 'mintBlock', 'mintedAt', 'dataHash', 'metadataCid'] as const),
  ...(['splitFrom', 'offerNo', 'containerTokenId', 'remaining', 'leftSupplyChain', 'retiredAt', 'recalledAt'] as const),
];
type OwnProperty = (typeof OWN_PROPERTIES)[number];

/** What ten thousand lots have in some dozens of combinations. A new column belongs to them until it is named above. */
export type SharedRow = Omit<LotRow, OwnProperty>;
export const SHARED_COLUMNS: readonly Column<SharedRow>[] = LOT_COLUMNS.filter(
  ({ property }) => !(OWN_PROPERTIES as readonly string[]).includes(property),
) as readonly unknown[] as readonly Column<SharedRow>[];

/**
 * "Current", written so that no partial index matches. Where statistics are missing or old, as after a backfill, the planner expects a tenant
 * to have almost no current lots, takes any index on them, and a lookup by token reads them all. This way only the primary key matches.
 */
export const CURRENT = 'coalesce(l.to_block, -1) < 0';
