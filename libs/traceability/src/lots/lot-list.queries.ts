import type { PartyLabel } from '#identity';
import { type TenantTx, countOf } from '#persistence';
import type { LotStatus } from '../contract/lots.js';
import { codeIs, isLotUri } from './lot-codes.queries.js';
import { type LotRow, STATUS_RULES } from './lot.js';
import { readRow, LOT_COLUMNS } from './columns.queries.js';
import { type StateAsOf, StateSql, NOW, type Parameter, parametersOf } from './lot-state.queries.js';
import type { ProcessKey } from '../process-maps/process-maps.queries.js';

/** A lot as it was at some time, with what is derived when it is read. */
export interface LotRecord extends LotRow {
  readonly status: LotStatus;
  readonly expired: boolean;
  readonly onHold: boolean;
  readonly recallAffected: boolean;
  readonly eventCount: number;
  /** Of the mint event; shown by its visibility. */
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly mintedByOrg: string | null;
  /** The event that says where the lot is, by eventTime; null where none does. */
  readonly place: LotPlace | null;
  readonly process: ProcessKey;
  /** The party with the custodian's address; null where it has none with a name. */
  readonly party: Pick<PartyLabel, 'label' | 'kind'> | null;
}

/** Of the event that says where a lot is: what is shown of its location, and by which rules. */
export interface LotPlace {
  readonly orgId: string | null;
  readonly location: Readonly<Record<string, unknown>> | null;
  /** The location in its metadata, parts of which may be public. */
  readonly stated: unknown;
  readonly process: ProcessKey;
}

export interface ListFilter {
  readonly status?: LotStatus;
  readonly assetType?: string;
  /** EIP-55; several are those of an organisation. */
  readonly custodians?: readonly string[];
  /** The code or its beginning, or a Digital Link. */
  readonly tlc?: string;
  /** 14 digits. */
  readonly gtin?: string;
  readonly serial?: string;
  readonly processMap?: string;
  /** On the block time of the mint; `createdFrom` included, `createdTo` excluded. */
  readonly createdFrom?: Date;
  readonly createdTo?: Date;
  /** Expires before this, and has not been used up or retired. */
  readonly expiringBefore?: Date;
  readonly recalled?: boolean;
}

export const LOT_SORTS = ['-tokenId', 'tokenId', 'expiresAt', 'tlc'] as const;
export type ListSort = (typeof LOT_SORTS)[number];

/** Where a page begins: after a number of lots, or after a place in the order. */
export type Place = { readonly offset: number } | { readonly after: { readonly key: string; readonly tokenId: bigint } };

interface Sort {
  /** Sort key as SQL; the token id decides among equals. */
  readonly key: string;
  readonly type: string;
  readonly before: string;
  readonly direction: 'asc' | 'desc';
  readonly using?: string;
}

const ORDERS: Readonly<Record<ListSort, Sort>> = {
  '-tokenId': { key: 'l.token_id', type: 'bigint', before: '<', direction: 'desc' },
  tokenId: { key: 'l.token_id', type: 'bigint', before: '>', direction: 'asc' },
  expiresAt: { key: "coalesce(l.expires_at, 'infinity')", type: 'timestamptz', before: '>', direction: 'asc' },
  tlc: { key: 'l.tlc', type: 'text', before: '~>~', direction: 'asc', using: '~<~' },
};

/** The place of a lot in an order. A date beyond the year 9999, which the chain can hold, as the database reads it: without a sign. */
export const placeOf = (sort: ListSort, lot: LotRecord): { readonly key: string; readonly tokenId: bigint } => ({
  key:
    sort === 'expiresAt'
      ? (lot.expiresAt?.toISOString().replace(/^\+0*/, '') ?? 'infinity')
      : sort === 'tlc'
        ? lot.tlc
        : String(lot.tokenId),
  tokenId: lot.tokenId,
});

interface ListRequest {
  readonly filter: ListFilter;
  readonly sort: ListSort;
  readonly place: Place;
  readonly limit: number;
  readonly at: StateAsOf;
}

export async function listLots(
  tx: TenantTx,
  { filter, sort, place, limit, at }: ListRequest,
): Promise<{ readonly lots: readonly LotRecord[]; readonly counted: number }> {
  const { values, parameter } = parametersOf(tx);
  const state = new StateSql(at, parameter);
  const where = conditions(filter, state, parameter);
  const count = countOf(tx, `${state.lots} where ${where}`, [...values]);
  const order = ORDERS[sort];
  const by = orderBy(order);
  const page = `select l.token_id from ${state.lots}
    where ${where} and ${'after' in place ? behind(order, place.after, parameter) : 'true'} order by ${by}
    limit ${parameter(limit)} offset ${parameter('after' in place ? 0 : place.offset)}`;
  // A lot has one version that counts, so that its number names it.
  const statement = tx.sql(`${state.listed(page)} order by ${by}`, values);
  const [rows, counted] = await Promise.all([statement, count]);
  return { lots: rows.map(lotRecord), counted };
}

function orderBy({ key, direction, using }: Sort): string {
  const first = using === undefined ? `${key} ${direction}` : `${key} using ${using}`;
  return key === 'l.token_id' ? first : `${first}, l.token_id ${direction}`;
}

function behind({ key, type, before }: Sort, after: { readonly key: string; readonly tokenId: bigint }, parameter: Parameter): string {
  const last = `${parameter(after.key)}::${type}`;
  if (key === 'l.token_id') return `${key} ${before} ${last}`;
  return `(${key} ${before} ${last} or (${key} = ${last} and l.token_id > ${parameter(after.tokenId)}::bigint))`;
}

export async function lotByTokenId(tx: TenantTx, tokenId: bigint, at: StateAsOf = NOW): Promise<LotRecord | null> {
  const { values, parameter } = parametersOf(tx);
  const state = new StateSql(at, parameter);
  const [row] = await tx.sql(state.listed(`select ${parameter(tokenId)}::bigint as token_id`), values);
  return row ? lotRecord(row) : null;
}

export async function lotExists(tx: TenantTx, tokenId: bigint): Promise<boolean> {
  const rows = await tx.sql('select from traceability.lot where tenant_id = $1 and token_id = $2 and to_block is null', [
    tx.tenantId,
    tokenId,
  ]);
  return rows.length > 0;
}

/** The known ones among these, by token id. */
export async function lotsByTokenIds(tx: TenantTx, tokenIds: readonly bigint[], at: StateAsOf = NOW): Promise<readonly LotRecord[]> {
  if (tokenIds.length === 0) return [];
  const { values, parameter } = parametersOf(tx);
  const state = new StateSql(at, parameter);
  const rows = await tx.sql(`${state.listed(`select unnest(${parameter(tokenIds)}::bigint[]) as token_id`)} order by l.token_id`, values);
  return rows.map(lotRecord);
}

/** Columns of a lot that are never shown. */
type Unshown =
  | 'tenantId'
  | 'fromLog'
  | 'toBlock'
  | 'toLog'
  | 'chainId'
  | 'contract'
  | 'tlcHash'
  | 'assetTypeHash'
  | 'offerNo'
  | 'leftSupplyChain';

/** A lot with everything that is shown of it. */
export type ResponseFacts = Omit<LotRecord, Unshown>;

function conditions(filter: ListFilter, state: StateSql, parameter: Parameter): string {
  const all = ['l.tenant_id = $1', state.current];
  if (filter.status !== undefined) {
    all.push(`${state.status} = ${parameter(filter.status)}`);
    // Says in plain words what the status begins with, so that an index on it can be used.
    const rule = STATUS_RULES.find(({ status }) => status === filter.status)!.sql;
    if (!rule.includes('{held}') && !rule.includes('{now}')) all.push(rule.replaceAll('{lot}', 'l'));
  }
  if (filter.assetType !== undefined) all.push(`l.asset_type = ${parameter(filter.assetType)}`);
  if (filter.custodians !== undefined) all.push(`l.custodian = any(${parameter(filter.custodians)}::text[])`);
  if (filter.processMap !== undefined) all.push(`l.process_map_name = ${parameter(filter.processMap)}`);
  if (filter.createdFrom !== undefined) all.push(`l.minted_at >= ${parameter(filter.createdFrom)}`);
  if (filter.createdTo !== undefined) all.push(`l.minted_at < ${parameter(filter.createdTo)}`);
  if (filter.expiringBefore !== undefined)
    all.push(
      `coalesce(l.expires_at, 'infinity') < ${parameter(filter.expiringBefore)}::timestamptz and l.retired_at is null and not l.used_up`,
    );
  if (filter.recalled !== undefined) all.push(`l.recalled_at is ${filter.recalled ? 'not ' : ''}null`);
  if (filter.gtin !== undefined) all.push(`l.gtin = ${parameter(filter.gtin)}`);
  if (filter.serial !== undefined) all.push(`l.serial = ${parameter(filter.serial)}`);
  if (filter.tlc !== undefined) all.push(beginsWith(filter.tlc, parameter));
  return all.join(' and ');
}

/** An IRI is whole. The operators of text_pattern_ops compare bytes; U+10FFFF sorts after every character that may follow. */
const beginsWith = (tlc: string, parameter: Parameter): string =>
  isLotUri(tlc) ? codeIs('l', tlc, parameter) : `l.tlc ~>=~ ${parameter(tlc)} and l.tlc ~<~ ${parameter(`${tlc}\u{10ffff}`)}`;

function lotRecord(row: Record<string, unknown>): LotRecord {
  return Object.assign(readRow<LotRow>(LOT_COLUMNS, row), {
    status: row['status'] as LotStatus,
    expired: row['expired'] as boolean,
    onHold: row['on_hold'] as boolean,
    recallAffected: row['recall_affected'] as boolean,
    eventCount: Number(row['event_count']),
    metadata: row['metadata'] as LotRecord['metadata'],
    mintedByOrg: row['minted_by_org'] as string | null,
    place: row['place_event'] === null ? null : placeIn(row),
    process: {
      map: row['event_map'] as string | null,
      version: row['event_map_version'] as string | null,
      processType: row['process_type'] as string | null,
    },
    party: partyIn(row),
  });
}

const placeIn = (row: Record<string, unknown>): LotPlace => ({
  orgId: row['place_org'] as string | null,
  location: row['place_location'] as LotPlace['location'],
  stated: row['place_stated'],
  process: {
    map: row['place_map'] as string | null,
    version: row['place_version'] as string | null,
    processType: row['place_process'] as string | null,
  },
});

function partyIn(row: Record<string, unknown>): LotRecord['party'] {
  const label = row['party_label'] as string | null;
  return label === null ? null : { label, kind: row['party_kind'] as PartyLabel['kind'] };
}
