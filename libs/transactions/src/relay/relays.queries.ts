import { Injectable } from '@nestjs/common';
import type { SystemTx, TenantTx } from '#persistence';

export type RelayStatus = 'queued' | 'sent' | 'mined' | 'reverted' | 'expired' | 'refused';

/** A batch that a passkey signed and the sponsor sends. */
export interface Relay {
  readonly tenantId: string;
  readonly id: string;
  readonly chainId: number;
  /** EIP-55. */
  readonly account: string;
  readonly userId: string;
  readonly passkeyId: string;
  /** The sponsor, EIP-55. */
  readonly paidBy: string;
  readonly keyId: string;
  readonly lane: number;
  readonly sequence: number;
  readonly deadline: Date;
  /** Calldata for the account. */
  readonly data: string;
  readonly factory: string;
  /** Calldata for the factory. */
  readonly deploy: string;
  /** Ids of the calls. */
  readonly prepared: readonly string[];
  readonly status: RelayStatus;
  /** Reserved, or spent. */
  readonly wei: bigint;
  /** The most that the batch may cost. */
  readonly batchWei: bigint;
  /** The most that the deployment of the account may cost; 0 where it was deployed already. */
  readonly deployWei: bigint;
  readonly reason: string | null;
  readonly createdAt: Date;
}

export type NewRelay = Omit<Relay, 'status' | 'wei' | 'reason'>;

interface RelayRow extends Omit<Relay, 'chainId' | 'sequence' | 'wei' | 'batchWei' | 'deployWei'> {
  readonly chainId: string;
  readonly sequence: string;
  readonly wei: string;
  readonly batchWei: string;
  readonly deployWei: string;
}

const COLUMNS = `tenant_id as "tenantId", id, chain_id as "chainId", account, user_id as "userId", passkey_id as "passkeyId", paid_by as "paidBy", key_id as "keyId",
  lane, sequence, deadline, data, factory, deploy, prepared, status, wei, batch_wei as "batchWei", deploy_wei as "deployWei", reason,
  created_at as "createdAt"`;

/** What the sponsor's transactions for it cost. What it pays in addition to use up a stuck nonce is not the tenant's. */
const COST = `least(r.batch_wei + r.deploy_wei,
  (select coalesce(sum(s.wei), 0) from transactions.sponsor_transaction s where s.relay_id = r.id))`;

const relayOf = (row: RelayRow): Relay => ({
  ...row,
  chainId: Number(row.chainId),
  sequence: Number(row.sequence),
  wei: BigInt(row.wei),
  batchWei: BigInt(row.batchWei),
  deployWei: BigInt(row.deployWei),
});

/** A lane with batches that landed, or are on their way. */
export interface UsedLane {
  /** How many are on their way. */
  readonly underway: number;
  /** The last of their places. */
  readonly last: number;
}

/** The chain may be behind what was relayed, and what was relayed elsewhere is known to the chain alone. @param next of the chain */
export const nextPlace = (next: number, lane: UsedLane | undefined): number => Math.max(next, (lane?.last ?? -1) + 1);

@Injectable()
export class RelaysQueries {
  /** @returns false where another relay has the place */
  async insert(tx: TenantTx, of: NewRelay): Promise<boolean> {
    const rows = await tx.sql(
      `insert into transactions.relay (tenant_id, id, chain_id, account, user_id, passkey_id, paid_by, key_id, lane, sequence, deadline, data,
         factory, deploy, prepared, status, wei, batch_wei, deploy_wei, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15::uuid[], 'queued', $16, $17, $18, $19)
       on conflict do nothing returning id`,
      [
        ...[of.tenantId, of.id, of.chainId, of.account, of.userId, of.passkeyId, of.paidBy, of.keyId, of.lane, of.sequence, of.deadline],
        ...[of.data, of.factory, of.deploy, of.prepared],
        ...[String(of.batchWei + of.deployWei), String(of.batchWei), String(of.deployWei), of.createdAt],
      ],
    );
    return rows.length > 0;
  }

  async byId(tx: TenantTx, id: string): Promise<Relay | null> {
    const [row] = await tx.sql<RelayRow>(`select ${COLUMNS} from transactions.relay where tenant_id = $1 and id = $2`, [tx.tenantId, id]);
    return row ? relayOf(row) : null;
  }

  /** Lanes of a key that a batch was relayed in. */
  async lanes(tx: TenantTx, account: string, keyId: string): Promise<ReadonlyMap<number, UsedLane>> {
    const rows = await tx.sql<{ lane: number; underway: number; last: string }>(
      `select lane, (count(*) filter (where status in ('queued', 'sent')))::int as underway, max(sequence) as last from transactions.relay
       where tenant_id = $1 and account = $2 and key_id = $3 and status in ('queued', 'sent', 'mined') group by lane`,
      [tx.tenantId, account, keyId],
    );
    return new Map(rows.map(({ lane, underway, last }) => [lane, { underway, last: Number(last) }]));
  }

  /** Oldest first; of each lane of a key the next one alone, and only when none before it is on its way. */
  async next(tx: SystemTx, chainId: number, limit: number): Promise<readonly Relay[]> {
    const rows = await tx.sql<RelayRow>(
      `select ${COLUMNS} from transactions.relay r where chain_id = $1 and status = 'queued' and not exists (
         select from transactions.relay before where before.tenant_id = r.tenant_id and before.account = r.account
           and before.key_id = r.key_id and before.lane = r.lane and before.status in ('queued', 'sent') and before.sequence < r.sequence)
       order by created_at, id limit $2`,
      [chainId, limit],
    );
    return rows.map(relayOf);
  }

  /** What they cost is what the sponsor's transactions for them did. */
  async settle(tx: SystemTx, ended: readonly SettledRelay[]): Promise<void> {
    if (ended.length === 0) return;
    await tx.sql(
      `update transactions.relay r set status = e.status, reason = e.reason, 
         wei = case when e.status in ('queued', 'sent') then r.batch_wei + r.deploy_wei else ${COST} end
       from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[]) as e(tenant_id, id, status, reason)
       where r.tenant_id = e.tenant_id and r.id = e.id`,
      [
        ended.map(({ tenantId }) => tenantId),
        ended.map(({ id }) => id),
        ended.map(({ status }) => status),
        ended.map(({ reason }) => reason),
      ],
    );
  }

  /** Of relays that have ended: a transaction for them was mined after that. */
  async charge(tx: SystemTx, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await tx.sql(`update transactions.relay r set wei = ${COST} where r.id = any($1::uuid[]) and r.status not in ('queued', 'sent')`, [
      ids,
    ]);
  }

  /** Those of the ids, of any tenant. */
  async ofIds(tx: SystemTx, ids: readonly string[]): Promise<ReadonlyMap<string, Relay>> {
    if (ids.length === 0) return new Map();
    const rows = await tx.sql<RelayRow>(`select ${COLUMNS} from transactions.relay where id = any($1::uuid[])`, [ids]);
    return new Map(rows.map((row) => [row.id, relayOf(row)]));
  }
}

export type SettledRelay = Pick<Relay, 'tenantId' | 'id' | 'status' | 'reason'>;
