import type { SystemTx, Tx } from '#persistence';

/** A final event that left the chain, with the facts of its block that was undone. */
export interface Retraction {
  readonly tenantId: string;
  readonly id: string;
  readonly eventId: string;
  readonly chainId: number;
  readonly blockNumber: number;
  readonly blockTime: Date;
  readonly txHash: string;
  readonly facts: RetractedFacts;
}

export interface RetractedFacts {
  readonly contractAddress: string;
  readonly processType: string | null;
  readonly processId: string;
  readonly inputTokenIds: readonly number[];
  readonly outputTokenIds: readonly number[];
  readonly outputTlc: string | null;
  readonly actor: string;
  readonly orgId: string | null;
  readonly ipfsCid: string | null;
  readonly dataHash: string;
  readonly logIndex: number;
}

/** Before the blocks after `lastGoodBlock` are undone: which of their events were final, so that receivers know them. */
export async function noteRetractions(tx: Tx, chainId: number, lastGoodBlock: number, wasFinal: number): Promise<void> {
  if (wasFinal <= lastGoodBlock) return;
  await tx.sql(
    `insert into traceability.retraction (tenant_id, id, event_id, chain_id, block_number, block_time, tx_hash, facts)
     select tenant_id, gen_random_uuid(), id, chain_id, block_number, landed_at, tx_hash, jsonb_build_object(
       'contractAddress', contract_address, 'processType', process_type, 'processId', process_id,
       'inputTokenIds', to_jsonb(input_token_ids), 'outputTokenIds', to_jsonb(output_token_ids), 'outputTlc', output_tlc,
       'actor', actor_address, 'orgId', org_id, 'ipfsCid', ipfs_cid, 'dataHash', data_hash, 'logIndex', log_index)
     from traceability.event where chain_id = $1 and block_number > $2 and block_number <= $3
     on conflict (tenant_id, event_id) where announced_at is null do nothing`,
    [chainId, lastGoodBlock, wasFinal],
  );
}

/** Deletes the notes of events that are on the chain again, wherever they landed. */
export async function dropFoundAgain(tx: SystemTx, chainId: number): Promise<void> {
  await tx.sql(
    `delete from traceability.retraction r using traceability.event e
     where r.chain_id = $1 and r.announced_at is null and e.tenant_id = r.tenant_id and e.id = r.event_id and e.chain_id = $1 and e.block_number is not null`,
    [chainId],
  );
}

/** Up to `limit` that the chain has become final without, locked. */
export async function dueRetractions(tx: SystemTx, chainId: number, final: number, limit: number): Promise<readonly Retraction[]> {
  const rows = await tx.sql<Retraction>(
    `select tenant_id as "tenantId", id, event_id as "eventId", chain_id as "chainId", block_number as "blockNumber", block_time as "blockTime",
            tx_hash as "txHash", facts
     from traceability.retraction where chain_id = $1 and announced_at is null and block_number <= $2
     order by tenant_id, block_number, id limit $3 for update skip locked`,
    [chainId, final, limit],
  );
  return rows.map((row) => ({ ...row, chainId: Number(row.chainId), blockNumber: Number(row.blockNumber) }));
}

export async function markAnnounced(tx: SystemTx, announced: readonly Retraction[], at: Date): Promise<void> {
  await tx.sql(
    `update traceability.retraction r set announced_at = $3 from unnest($1::uuid[], $2::uuid[]) as t(tenant_id, id)
     where r.tenant_id = t.tenant_id and r.id = t.id`,
    [announced.map(({ tenantId }) => tenantId), announced.map(({ id }) => id), at],
  );
}

export interface RetractionCounts {
  /** Undone, and not decided yet. */
  readonly waiting: number;
  /** Told within the last 24 hours. */
  readonly announced: number;
}

/** Over all tenants, each counted up to 10,000. */
export async function retractionCounts(tx: SystemTx): Promise<RetractionCounts> {
  const [counts] = await tx.sql<RetractionCounts>(
    `select (select count(*) from (select from traceability.retraction where announced_at is null limit 10000) w)::int as waiting,
            (select count(*) from (select from traceability.retraction where announced_at > now() - interval '24 hours' limit 10000) t)::int as announced`,
  );
  return counts!;
}
