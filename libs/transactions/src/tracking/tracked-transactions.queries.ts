import { Injectable } from '@nestjs/common';
import { EntitySchema, type EntitySchemaColumnOptions } from 'typeorm';
import { countOf, type SystemTx, type TenantTx } from '#persistence';
import type { ObservedHash } from '../observation/observation.js';
import { tooManyOpen } from '../errors.js';
import { OPEN_STATUSES, REVIVABLE_STATUSES, TrackedTransaction } from './tracked-transaction.js';
import { RELAYED, relayedRows } from './relayed-rows.queries.js';
import { type TrackedList, type TrackedRows, ofId } from './tracked-rows.queries.js';

export interface OpenHash extends ObservedHash {
  readonly tenantId: string;
  readonly id: string;
}

/** From how many below the limit on. */
const COUNTED_ONE_BY_ONE = 100;

const listed = (statuses: readonly string[]): string => statuses.map((status) => `'${status}'`).join(', ');

const WATCHED = [...OPEN_STATUSES, ...REVIVABLE_STATUSES];

/**
 * Of each tenant its longest due ones, and these of all tenants alternately: a tenant with many waits for those with few. `$4` are the ids that
 * this poll has had.
 */
const OPEN = `
  with recursive tenant(id) as (
    (select tenant_id from transactions.tracked where chain_id = $1 and status in (${listed(WATCHED)}) order by tenant_id limit 1)
    union all
    select (select t.tenant_id from transactions.tracked t
      where t.chain_id = $1 and t.status in (${listed(WATCHED)}) and t.tenant_id > tenant.id order by t.tenant_id limit 1)
    from tenant where tenant.id is not null
  )
  select due.* from tenant cross join lateral (
    select t.tenant_id as "tenantId", t.id, t.tx_hash as "txHash", t.from_address as "from", t.nonce, t.block_number as "blockNumber",
      t.block_hash as "blockHash", t.revert_reason as "revertReason", row_number() over (order by t.next_check_at, t.id) as place
    from transactions.tracked t
    where t.chain_id = $1 and t.tenant_id = tenant.id and t.tx_hash is not null and t.status in (${listed(WATCHED)}) and t.next_check_at <= $2 and t.id <> all($4::uuid[])
      and (t.status in (${listed(OPEN_STATUSES)}) or coalesce(t.unseen_since, t.submitted_at) > $2::timestamptz - interval '7 days')
    order by t.next_check_at, t.id limit $3
  ) due order by due.place limit $3`;

/** Every column that a poll may change, with its property. */
const POLLED = {
  status: 'status',
  from_address: 'from',
  to_address: 'to',
  nonce: 'nonce',
  block_number: 'blockNumber',
  block_hash: 'blockHash',
  block_time: 'blockTime',
  gas_used: 'gasUsed',
  effective_gas_price: 'effectiveGasPrice',
  revert_reason: 'revertReason',
  replaced_by: 'replacedBy',
  event_id: 'eventId',
  event_data_hash: 'eventDataHash',
  unseen_since: 'unseenSince',
  last_checked_at: 'lastCheckedAt',
  next_check_at: 'nextCheckAt',
  confirmed_at: 'confirmedAt',
} as const;

const SAVE = `update transactions.tracked t set ${Object.keys(POLLED)
  .map((column) => `${column} = r.${column}`)
  .join(', ')} from json_populate_recordset(null::transactions.tracked, $2::json) r where t.tenant_id = $1 and t.id = r.id`;

/** How many hashes of the tenant are open that no node has seen; $2 at most. */
const NEVER_SEEN = `
  select count(*) as open from (select from transactions.tracked where tenant_id = $1 and status = 'submitted' and relay_id is null limit $2) open`;
/** What is known of one that was just submitted, while the tenant has fewer than $2 of those. */
const ADD = `
  insert into transactions.tracked (tenant_id, id, chain_id, tx_hash, type, status, owner_kind, owner_id, submitted_at, next_check_at)
  select $1::uuid, $3::uuid, $4::bigint, $5, $6, $7, $8, $9, $10::timestamptz, $11::timestamptz where (${NEVER_SEEN}) < $2::bigint
  on conflict do nothing`;

/** Hashes that users asked to watch. */
@Injectable()
export class TrackedQueries {
  /**
   * Adds it where nothing else is to be decided, all statements at once (`UnitOfWork.write`); returns the stored one.
   * @returns null where `add` has to decide: nothing was stored then
   */
  async addAtOnce(tx: TenantTx, tracked: TrackedTransaction, mostNeverSeen: number): Promise<TrackedTransaction | null> {
    const [, known] = await Promise.all([
      this.insert(tx, tracked, Math.max(0, mostNeverSeen - COUNTED_ONE_BY_ONE)),
      this.byHash(tx, tracked.chainId, tracked.txHash),
      tx.rememberSpan([tracked.txHash]),
    ]);
    return known && !REVIVABLE_STATUSES.includes(known.status) ? known : null;
  }

  /**
   * Adds it unless its hash is tracked already; returns the stored one.
   * @param mostNeverSeen how many hashes of a tenant may be open that no node has seen
   * @throws DomainError 429 `too_many_open_transactions`
   */
  async add(tx: TenantTx, tracked: TrackedTransaction, mostNeverSeen: number): Promise<TrackedTransaction> {
    const { chainId, txHash } = tracked;
    const known = await this.byHash(tx, chainId, txHash);
    if (known) return REVIVABLE_STATUSES.includes(known.status) ? this.revive(tx, known, tracked.submittedAt) : known;
    await this.mustHaveRoom(tx, mostNeverSeen);
    const [, stored] = await Promise.all([
      this.insert(tx, tracked, mostNeverSeen),
      this.byHash(tx, chainId, txHash),
      tx.rememberSpan([txHash]),
    ]);
    return stored!;
  }

  private async insert(tx: TenantTx, tracked: TrackedTransaction, most: number): Promise<void> {
    const { id, chainId, txHash, type, status, ownerKind, ownerId, submittedAt, nextCheckAt } = tracked;
    await tx.sql(ADD, [tx.tenantId, most, id, chainId, txHash, type, status, ownerKind, ownerId, submittedAt, nextCheckAt]);
  }

  /** A user waits for it again: the period in which a dropped one is polled restarts. */
  private async revive(tx: TenantTx, { id }: TrackedTransaction, at: Date): Promise<TrackedTransaction> {
    await tx.sql(
      `update transactions.tracked set unseen_since = $3, next_check_at = least(next_check_at, $3)
       where tenant_id = $1 and id = $2 and status in (${listed(REVIVABLE_STATUSES)})`,
      [tx.tenantId, id, at],
    );
    return (await this.byId(tx, id))!;
  }

  /** Near the limit the hashes of a tenant are counted one after another, so that requests at once do not exceed it. */
  private async mustHaveRoom(tx: TenantTx, most: number): Promise<void> {
    let open = await this.neverSeen(tx, most);
    if (open >= most - COUNTED_ONE_BY_ONE && open < most) {
      await tx.sql(`select pg_advisory_xact_lock(hashtextextended('transactions.tracked:' || $1, 0))`, [tx.tenantId]);
      open = await this.neverSeen(tx, most);
    }
    if (open >= most) throw tooManyOpen(most);
  }

  private async neverSeen(tx: TenantTx, most: number): Promise<number> {
    const [row] = await tx.sql<{ open: string }>(NEVER_SEEN, [tx.tenantId, most]);
    return Number(row!.open);
  }

  byId(tx: TenantTx, id: string): Promise<TrackedTransaction | null> {
    return this.one(tx, ofId(tx.tenantId, id));
  }

  byHash(tx: TenantTx, chainId: number, txHash: string): Promise<TrackedTransaction | null> {
    // A hash that the sponsor sent is one of each of its calls; who asks for it gets the first.
    const from = 'transactions.tracked where tenant_id = $1 and chain_id = $2 and tx_hash = $3 order by call_index nulls first limit 1';
    return this.one(tx, { from, parameters: [tx.tenantId, chainId, txHash] });
  }

  async one(tx: TenantTx, { from, parameters }: TrackedRows): Promise<TrackedTransaction | null> {
    const [tracked] = await tx.find(TrackedTransaction, from, parameters);
    return tracked ?? null;
  }

  /** With their number (counted as pages count). */
  async list(tx: TenantTx, { page, all }: TrackedList): Promise<{ rows: readonly TrackedTransaction[]; counted: number }> {
    const [rows, counted] = await Promise.all([
      tx.find(TrackedTransaction, page.from, page.parameters),
      countOf(tx, all.from, all.parameters),
    ]);
    return { rows, counted };
  }

  /**
   * Hashes that are due at `at`, `limit` at most: of all tenants alternately.
   * @param except those that this poll has had: one that nothing was said about stays due
   */
  async open(tx: SystemTx, chainId: number, at: Date, limit: number, except: Iterable<string> = []): Promise<readonly OpenHash[]> {
    const rows = await tx.sql<OpenHash & { nonce: string | null; blockNumber: string | null }>(OPEN, [chainId, at, limit, [...except]]);
    return rows.map((row) => ({ ...row, nonce: integer(row.nonce), blockNumber: integer(row.blockNumber) }));
  }

  /** Whether some were never polled. */
  async hasNew(tx: SystemTx, chainId: number): Promise<boolean> {
    const rows = await tx.sql(
      `select from transactions.tracked
       where chain_id = $1 and status in (${listed(OPEN_STATUSES)}) and last_checked_at is null and tx_hash is not null limit 1`,
      [chainId],
    );
    return rows.length > 0;
  }

  /** Those that no other worker is writing at the moment, locked until the transaction ends. */
  lock(tx: TenantTx, ids: readonly string[]): Promise<readonly TrackedTransaction[]> {
    const rows = 'transactions.tracked where tenant_id = $1 and id = any($2::uuid[]) for update skip locked';
    return tx.find(TrackedTransaction, rows, [tx.tenantId, ids]);
  }

  /** Calls that the sponsor is to send. */
  async addRelayed(tx: TenantTx, tracked: readonly TrackedTransaction[]): Promise<void> {
    await tx.sql(RELAYED, [tx.tenantId, relayedRows(tracked)]);
  }

  /** Calls of a relay, locked until the transaction ends. */
  ofRelay(tx: TenantTx, relayId: string): Promise<readonly TrackedTransaction[]> {
    return tx.find(TrackedTransaction, 'transactions.tracked where tenant_id = $1 and relay_id = $2 order by call_index for update', [
      tx.tenantId,
      relayId,
    ]);
  }

  /** The transaction that carries each relay now: a first one, or one with higher fees. */
  async carry(tx: SystemTx, relays: readonly { readonly relayId: string; readonly txHash: string }[]): Promise<void> {
    if (relays.length === 0) return;
    await tx.sql(
      `update transactions.tracked t set tx_hash = r.tx_hash, next_check_at = 'epoch', last_checked_at = null
       from unnest($1::uuid[], $2::text[]) as r(relay_id, tx_hash)
       where t.relay_id = r.relay_id and t.tx_hash is distinct from r.tx_hash`,
      [relays.map(({ relayId }) => relayId), relays.map(({ txHash }) => txHash)],
    );
  }

  /** In one statement. */
  async save(tx: TenantTx, tracked: readonly TrackedTransaction[]): Promise<void> {
    if (tracked.length === 0) return;
    const rows = tracked.map((of) => ({
      id: of.id,
      ...Object.fromEntries(Object.entries(POLLED).map(([column, property]) => [column, of[property]])),
    }));
    await tx.sql(SAVE, [tx.tenantId, JSON.stringify(rows)]);
  }
}

const integer = (value: string | null): number | null => (value === null ? null : Number(value));

/** Block numbers and nonces are far below 2^53. */
const integerColumn = (name: string): EntitySchemaColumnOptions => ({
  name,
  type: 'bigint',
  nullable: true,
  transformer: { from: (value: string | null) => (value === null ? null : Number(value)), to: (value: number | null) => value },
});
const textColumn = (name: string, nullable = false): EntitySchemaColumnOptions => ({ name, type: 'text', nullable });
const timeColumn = (name: string, nullable = false): EntitySchemaColumnOptions => ({ name, type: 'timestamptz', nullable });

export const trackedEntity = new EntitySchema<TrackedTransaction>({
  name: 'TrackedTransaction',
  target: TrackedTransaction,
  schema: 'transactions',
  tableName: 'tracked',
  columns: {
    tenantId: { name: 'tenant_id', type: 'uuid', primary: true },
    id: { name: 'id', type: 'uuid', primary: true },
    chainId: { ...integerColumn('chain_id'), nullable: false },
    txHash: textColumn('tx_hash', true),
    type: textColumn('type'),
    status: textColumn('status'),
    ownerKind: textColumn('owner_kind'),
    ownerId: textColumn('owner_id'),
    from: textColumn('from_address', true),
    to: textColumn('to_address', true),
    nonce: integerColumn('nonce'),
    blockNumber: integerColumn('block_number'),
    blockHash: textColumn('block_hash', true),
    blockTime: timeColumn('block_time', true),
    gasUsed: textColumn('gas_used', true),
    effectiveGasPrice: textColumn('effective_gas_price', true),
    revertReason: textColumn('revert_reason', true),
    replacedBy: textColumn('replaced_by', true),
    eventId: { name: 'event_id', type: 'uuid', nullable: true },
    eventDataHash: textColumn('event_data_hash', true),
    submittedAt: timeColumn('submitted_at'),
    nextCheckAt: timeColumn('next_check_at'),
    unseenSince: timeColumn('unseen_since', true),
    lastCheckedAt: timeColumn('last_checked_at', true),
    confirmedAt: timeColumn('confirmed_at', true),
    relayId: { name: 'relay_id', type: 'uuid', nullable: true },
    callIndex: { name: 'call_index', type: 'integer', nullable: true },
    paidBy: textColumn('paid_by', true),
    signedBy: textColumn('signed_by', true),
    landsUntil: timeColumn('lands_until', true),
  },
});
