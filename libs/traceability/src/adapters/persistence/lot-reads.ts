import { type TenantTx, countOf } from '#persistence';
import type { AsOf, LotStatus } from '../../contract.js';
import type { LotVersion } from '../../domain/lot.js';
import { STATUS_RULES, lotStatusSql } from '../../domain/lot-status.js';
import { readRow } from './columns.js';
import { LOT_COLUMNS } from './lot.schema.js';
import type { ProcessKey } from './map-words.js';

/** A lot as it was at some time, with what is derived when it is read. */
export interface LotRecord extends LotVersion {
  readonly status: LotStatus;
  readonly expired: boolean;
  readonly onHold: boolean;
  readonly recallAffected: boolean;
  readonly eventCount: number;
  /** Of the mint event; shown by its visibility. */
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly mintedByOrg: string | null;
  /** The event that says where the lot is, by eventTime; null where none does. */
  readonly locatedBy: string | null;
  readonly process: ProcessKey;
}

/** Which state is read: a block, and the time that expiry is held against. Both null = now. Holds are off chain and have no past. */
export interface At {
  readonly block: AsOf;
  readonly time: Date | null;
}
export const NOW: At = { block: null, time: null };

export interface LotFilter {
  readonly status?: LotStatus;
  readonly assetType?: string;
  /** EIP-55; several are those of an organisation. */
  readonly custodians?: readonly string[];
  /** The code or its beginning. */
  readonly tlc?: string;
  readonly processMap?: string;
  /** On the block time of the mint; `createdFrom` included, `createdTo` excluded. */
  readonly createdFrom?: Date;
  readonly createdTo?: Date;
  /** Expires before this, and has not been used up or retired. */
  readonly expiringBefore?: Date;
  readonly recalled?: boolean;
}

export const LOT_SORTS = ['-tokenId', 'tokenId', 'expiresAt', 'tlc'] as const;
export type LotSort = (typeof LOT_SORTS)[number];

/** Where a page begins: after so many lots, or behind a place of the order. */
export type LotPlace = { readonly offset: number } | { readonly after: { readonly key: string; readonly tokenId: bigint } };

interface Order {
  /** Sort key as SQL; the token id decides among equals. */
  readonly key: string;
  readonly type: string;
  readonly before: string;
  readonly direction: 'asc' | 'desc';
  readonly using?: string;
}

const ORDERS: Readonly<Record<LotSort, Order>> = {
  '-tokenId': { key: 'l.token_id', type: 'bigint', before: '<', direction: 'desc' },
  tokenId: { key: 'l.token_id', type: 'bigint', before: '>', direction: 'asc' },
  expiresAt: { key: "coalesce(l.expires_at, 'infinity')", type: 'timestamptz', before: '>', direction: 'asc' },
  tlc: { key: 'l.tlc', type: 'text', before: '~>~', direction: 'asc', using: '~<~' },
};

/** The place of a lot in an order. A date beyond the year 9999, which the chain can hold, as the database reads it: without a sign. */
export const placeOf = (sort: LotSort, lot: LotRecord): { readonly key: string; readonly tokenId: bigint } => ({
  key:
    sort === 'expiresAt'
      ? (lot.expiresAt?.toISOString().replace(/^\+0*/, '') ?? 'infinity')
      : sort === 'tlc'
        ? lot.tlc
        : String(lot.tokenId),
  tokenId: lot.tokenId,
});

type Parameter = (value: unknown) => string;

export async function listLots(
  tx: TenantTx,
  filter: LotFilter,
  sort: LotSort,
  place: LotPlace,
  limit: number,
  at: At = NOW,
): Promise<{ readonly lots: readonly LotRecord[]; readonly counted: number }> {
  const { values, parameter } = parametersOf(tx);
  const state = new State(at, parameter);
  const where = conditions(filter, state, parameter);
  const counted = await countOf(tx, `${state.lots} where ${where}`, [...values]);
  const order = ORDERS[sort];
  const by = orderBy(order);
  const page = `select l.token_id from ${state.lots}
    where ${where} and ${'after' in place ? behind(order, place.after, parameter) : 'true'} order by ${by}
    limit ${parameter(limit)} offset ${parameter('after' in place ? 0 : place.offset)}`;
  const rows = await tx.sql(
    // A lot has one version that counts, so that its number names it; materialised, the numbers are found by the index of the order.
    `with p as materialized (${page})
     ${state.listed('select token_id from p')} join p on p.token_id = l.token_id
     where l.tenant_id = $1 and ${state.current} order by ${by}`,
    values,
  );
  return { lots: rows.map(lotRecord), counted };
}

function orderBy({ key, direction, using }: Order): string {
  const first = using === undefined ? `${key} ${direction}` : `${key} using ${using}`;
  return key === 'l.token_id' ? first : `${first}, l.token_id ${direction}`;
}

function behind({ key, type, before }: Order, after: { readonly key: string; readonly tokenId: bigint }, parameter: Parameter): string {
  const last = `${parameter(after.key)}::${type}`;
  if (key === 'l.token_id') return `${key} ${before} ${last}`;
  return `(${key} ${before} ${last} or (${key} = ${last} and l.token_id > ${parameter(after.tokenId)}::bigint))`;
}

export async function lotByTokenId(tx: TenantTx, tokenId: bigint, at: At = NOW): Promise<LotRecord | null> {
  const { values, parameter } = parametersOf(tx);
  const state = new State(at, parameter);
  const [row] = await tx.sql(`${state.select} where l.tenant_id = $1 and ${state.current} and l.token_id = ${parameter(tokenId)}`, values);
  return row ? lotRecord(row) : null;
}

/** The known ones among these, by token id. */
export async function lotsByTokenIds(tx: TenantTx, tokenIds: readonly bigint[], at: At = NOW): Promise<readonly LotRecord[]> {
  if (tokenIds.length === 0) return [];
  const { values, parameter } = parametersOf(tx);
  const state = new State(at, parameter);
  const rows = await tx.sql(
    `${state.select} where l.tenant_id = $1 and ${state.current} and l.token_id = any(${parameter(tokenIds)}::bigint[]) order by l.token_id`,
    values,
  );
  return rows.map(lotRecord);
}

/** What nobody is shown of a lot. */
type Unshown = 'tenantId' | 'fromLog' | 'toBlock' | 'toLog' | 'chainId' | 'contract' | 'tlcHash' | 'assetTypeHash' | 'offerNo' | 'outThere';

/** A lot with all that is shown of it. */
export type ShownLot = Omit<LotRecord, Unshown>;

/** A code is free again after a void, and taken along by a migration: the lot that lives under it wins, then the newest. */
export async function lotByTlc(tx: TenantTx, tlc: string, at: At = NOW): Promise<LotRecord | null> {
  const { values, parameter } = parametersOf(tx);
  const state = new State(at, parameter);
  const [row] = await tx.sql(
    `${state.select} where l.tenant_id = $1 and ${state.current} and l.tlc = ${parameter(tlc)}
     order by coalesce(l.retire_reason in ('voided', 'migrated'), false), l.token_id desc limit 1`,
    values,
  );
  return row ? lotRecord(row) : null;
}

export function parametersOf(tx: TenantTx): { readonly values: unknown[]; readonly parameter: Parameter } {
  const values: unknown[] = [tx.tenantId];
  return { values, parameter: (value) => `$${values.push(value)}` };
}

/**
 * A lot is where the latest event happened that names it, or the container it lay in at the time. Looked at are the last ones on chain,
 * so that a lot with many costs no more than another.
 */
const EVENTS_FOR_PLACE = 50;

/** The tables and expressions of one state: now, or as of a block. */
export class State {
  readonly current: string;
  readonly lots: string;
  private readonly at: string | null;
  private clock: string | null = null;

  constructor(
    { block, time }: At,
    private readonly parameter: Parameter,
  ) {
    this.time = time;
    this.at = block === null ? null : `${parameter(block)}::bigint`;
    this.current = this.there('l');
    const holds =
      block === null
        ? 'left join traceability.lot_hold h on h.tenant_id = l.tenant_id and h.token_id = l.token_id'
        : 'cross join (select null::timestamptz as held_at) h';
    this.lots = `traceability.lot l ${holds}`;
  }

  private readonly time: Date | null;

  /** A statement must not be given a parameter that it does not use, and not every one asks for the time. */
  get now(): string {
    if (this.time === null) return 'now()';
    this.clock ??= `${this.parameter(this.time)}::timestamptz`;
    return this.clock;
  }

  get status(): string {
    return this.statusBy('h.held_at');
  }

  /** @param held null for a lot that is not held */
  statusBy(held: string): string {
    return lotStatusSql('l', held, this.now);
  }

  /** Whether it is held. @param these a condition on all lots that are read, for which this is looked up together */
  heldAmong(these: string): string {
    if (this.at !== null) return 'false';
    return `l.token_id in (select h.token_id from traceability.lot_hold h where h.tenant_id = $1 and h.token_id ${these})`;
  }

  private there(table: string): string {
    const { at } = this;
    if (at === null) return `${table}.to_block is null`;
    return `${table}.from_block <= ${at} and (${table}.to_block is null or ${table}.to_block > ${at})`;
  }

  get select(): string {
    return this.selecting(this.affected);
  }

  /** @param ids a statement of the lots that are read: what recalls affect among them is looked up for all of them together */
  listed(ids: string): string {
    return this.selecting(this.affectedAmong(`in (${ids})`));
  }

  private selecting(affected: string): string {
    return `
      select ${this.columns(affected)}
      from ${this.lots}
      left join traceability.event e on e.tenant_id = l.tenant_id and e.id = l.mint_event_id`;
  }

  /** Whether recalls of others affect it. @param these a condition on all lots that are read, for which this is looked up together */
  affectedAmong(these: string): string {
    return `l.token_id in (
          select a.token_id from traceability.recall_affected a
          where a.tenant_id = $1 and a.token_id ${these} and a.root_token_id <> a.token_id and ${this.there('a')})`;
  }

  private get place(): string {
    return `(with recursive carrier(token_id, since, until) as (
           select l.token_id, 0::bigint, null::bigint
           union all
           select v.container_token_id, greatest(c.since, v.from_block), least(c.until, v.to_block)
           from carrier c
           join traceability.lot v on v.tenant_id = l.tenant_id and v.token_id = c.token_id and v.container_token_id is not null
             and (c.until is null or v.from_block <= c.until) and (v.to_block is null or v.to_block >= c.since)
         )
         select v.id from carrier c cross join lateral (
           select n.event_id from traceability.event_lot n
           where n.tenant_id = l.tenant_id and n.token_id = c.token_id and n.block_number >= c.since
             and (c.until is null or n.block_number <= c.until) ${this.then('n.block_number')}
           order by n.block_number desc limit ${EVENTS_FOR_PLACE}) n
         join traceability.event v on v.tenant_id = l.tenant_id and v.id = n.event_id and v.location is not null and v.void_block is null
         order by v.event_time desc nulls last, v.block_number desc, v.log_index desc limit 1)`;
  }

  /** Up to the time. */
  then(column: string): string {
    return this.at === null ? '' : `and ${column} <= ${this.at}`;
  }

  private get affected(): string {
    return `exists (select from traceability.recall_affected a
                where a.tenant_id = l.tenant_id and a.token_id = l.token_id and a.root_token_id <> l.token_id and ${this.there('a')})`;
  }

  private columns(affected: string): string {
    return `${LOT_COLUMNS.map(({ name }) => `l.${name}`).join(', ')}, ${this.status} as status,
        coalesce(l.expires_at <= ${this.now}, false) as expired, h.held_at is not null as on_hold,
        ${affected} as recall_affected,
        (select count(*) from traceability.event_lot n
         where n.tenant_id = l.tenant_id and n.token_id = l.token_id ${this.then('n.block_number')}) as event_count,
        ${this.place} as located_by,
        e.metadata, e.org_id as minted_by_org, e.process_type, e.process_map_name as event_map, e.process_map_version as event_map_version`;
  }
}

function conditions(filter: LotFilter, state: State, parameter: Parameter): string {
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
  // The operators of text_pattern_ops compare bytes; U+10FFFF sorts after every character that may follow.
  if (filter.tlc !== undefined) all.push(`l.tlc ~>=~ ${parameter(filter.tlc)} and l.tlc ~<~ ${parameter(`${filter.tlc}\u{10ffff}`)}`);
  return all.join(' and ');
}

function lotRecord(row: Record<string, unknown>): LotRecord {
  return Object.assign(readRow<LotVersion>(LOT_COLUMNS, row), {
    status: row['status'] as LotStatus,
    expired: row['expired'] as boolean,
    onHold: row['on_hold'] as boolean,
    recallAffected: row['recall_affected'] as boolean,
    eventCount: Number(row['event_count']),
    metadata: row['metadata'] as LotRecord['metadata'],
    mintedByOrg: row['minted_by_org'] as string | null,
    locatedBy: row['located_by'] as string | null,
    process: {
      map: row['event_map'] as string | null,
      version: row['event_map_version'] as string | null,
      processType: row['process_type'] as string | null,
    },
  });
}
