import { Injectable } from '@nestjs/common';
import type { Hex } from '#kernel';
import type { TenantTx } from '#persistence';
import type { ChainEvent, Obstacle } from '../../domain/chain-event.js';
import { ChainEvents, type PreparedDeclaration } from '../../ports.js';
import { CONTRACT_ADMIN, loadRoles } from './account-roles.js';

/** Obstacles told of one event, and events named under each: nobody reads more, and what is hidden shows when these are gone. */
const MAX_OBSTACLES = 50;
const MAX_EVENTS = 20;

interface Row {
  readonly [column: string]: unknown;
}

@Injectable()
export class SqlChainEvents extends ChainEvents {
  override async byId(tx: TenantTx, id: string): Promise<ChainEvent | null> {
    const [row] = await tx.sql<Row>(
      `select e.id, e.status, e.process_type, e.org_id, e.prepared_by, e.chain_event_id, e.process_id, e.data_hash, e.ipfs_cid, e.metadata,
              e.output_tlc, e.supersedes, e.containment_mode, e.chain_id, e.contract_address, e.actor_address, e.tx_hash, e.block_hash, e.block_number,
              e.input_token_ids, e.consumed::text[], e.first_output_token_id, ${MINTED} as outputs
       from traceability.event e where e.tenant_id = $1 and e.id = $2`,
      [tx.tenantId, id],
    );
    return row ? chainEvent(row) : null;
  }

  override async landed(tx: TenantTx, ids: readonly string[]): Promise<ReadonlySet<string>> {
    if (ids.length === 0) return new Set();
    const rows = await tx.sql<{ id: string }>(
      'select id from traceability.event where tenant_id = $1 and id = any($2::uuid[]) and block_number is not null',
      [tx.tenantId, ids],
    );
    return new Set(rows.map((row) => row.id));
  }

  override async obstacles(tx: TenantTx, event: ChainEvent): Promise<readonly Obstacle[]> {
    const used = event.inputTokenIds.filter((_, i) => (event.consumed[i] ?? 0n) !== 0n);
    return tx.sql<Obstacle>(OBSTACLES, [tx.tenantId, event.id, event.outputs.map((output) => String(output.tokenId)), used.map(String)]);
  }

  override async isContractAdmin(tx: TenantTx, contract: string, account: string): Promise<boolean> {
    return (((await loadRoles(tx, contract, [account])).get(account) ?? 0) & CONTRACT_ADMIN) !== 0;
  }

  override async declare(tx: TenantTx, declaration: PreparedDeclaration): Promise<void> {
    const { eventId, dataHash, reason, correctiveEventIDs, preparedBy } = declaration;
    await tx.sql(
      `insert into traceability.error_declaration (tenant_id, event_id, data_hash, reason, corrective_event_ids, prepared_at, prepared_by)
       values ($1, $2, $3, $4, $5, now(), $6)`,
      [tx.tenantId, eventId, dataHash, reason, correctiveEventIDs, preparedBy],
    );
  }
}

/** The outputs as they were minted: the first version of each lot. */
const MINTED = `coalesce((
  select jsonb_agg(jsonb_build_object('tokenId', m.token_id::text, 'tlcHash', m.tlc_hash, 'assetType', m.asset_type_hash,
                                      'custodian', m.custodian, 'quantity', coalesce(m.quantity, 0)::text,
                                      'expiresAt', coalesce(extract(epoch from m.expires_at), 0)::bigint::text) order by m.token_id)
  from (select distinct on (l.token_id) l.* from traceability.lot l
        where l.tenant_id = e.tenant_id and l.token_id = any(e.output_token_ids) order by l.token_id, l.from_block, l.from_log) m), '[]')`;

/**
 * What the contract would refuse (TenantLots.sol, voidEvent): an output must be as it was minted and never have been offered, and an
 * input that gave something must be active or used up.
 */
const OBSTACLES = `
  with lots as (
    select l.token_id, l.tlc, 'output' as role, array_remove(array[
      case when l.retired_at is not null then 'retired' end,
      case when l.used_up or l.remaining is distinct from l.quantity then 'used' end,
      case when l.recalled_at is not null or l.holds_recalled then 'recalled' end,
      case when l.offer_no is not null then 'offered' end,
      case when l.container_token_id is not null then 'contained' end,
      case when exists (select from traceability.lot v where v.tenant_id = l.tenant_id and v.token_id = l.token_id
                        and v.custodian <> l.custodian) and l.offer_no is null then 'moved' end], null) as reasons
    from traceability.lot l where l.tenant_id = $1 and l.to_block is null and l.token_id = any($3::bigint[])
    union all
    select l.token_id, l.tlc, 'input', array_remove(array[
      case when l.retired_at is not null then 'retired' end,
      case when l.container_token_id is not null and l.retired_at is null then 'contained' end], null)
    from traceability.lot l where l.tenant_id = $1 and l.to_block is null and l.token_id = any($4::bigint[])
  )
  select token_id::float8 as "tokenId", tlc, role, reasons, array(
    select n.event_id from traceability.event_lot n join traceability.event e on e.tenant_id = n.tenant_id and e.id = n.event_id
    where n.tenant_id = $1 and n.token_id = lots.token_id and n.event_id <> $2 and e.status in ('recorded', 'superseded')
      and lots.token_id = any(e.input_token_ids) and e.kind is distinct from 'observation'
    order by n.block_number desc, n.event_id limit ${MAX_EVENTS}) as "eventIds"
  from lots where cardinality(reasons) > 0 order by role desc, token_id limit ${MAX_OBSTACLES}`;

const bigints = (values: unknown): bigint[] => ((values ?? []) as string[]).map(BigInt);
const numberOf = (value: unknown): number | null => (value === null ? null : Number(value));

interface StoredOutput {
  readonly tokenId: string;
  readonly tlcHash: Hex;
  readonly assetType: Hex;
  readonly custodian: string;
  readonly quantity: string;
  readonly expiresAt: string;
}

function chainEvent(row: Row): ChainEvent {
  return {
    id: row['id'] as string,
    status: row['status'] as ChainEvent['status'],
    processType: row['process_type'] as string | null,
    orgId: row['org_id'] as string | null,
    preparedBy: row['prepared_by'] as string | null,
    chainEventId: row['chain_event_id'] as Hex,
    processId: row['process_id'] as Hex,
    dataHash: row['data_hash'] as Hex | null,
    ipfsCid: row['ipfs_cid'] as string | null,
    metadata: row['metadata'] as ChainEvent['metadata'],
    outputTlc: row['output_tlc'] as string | null,
    supersedes: row['supersedes'] as string | null,
    containmentMode: row['containment_mode'] as number,
    chainId: numberOf(row['chain_id']),
    contract: row['contract_address'] as string | null,
    actor: row['actor_address'] as string | null,
    txHash: row['tx_hash'] as Hex | null,
    blockHash: row['block_hash'] as Hex | null,
    blockNumber: numberOf(row['block_number']),
    inputTokenIds: bigints(row['input_token_ids']),
    consumed: bigints(row['consumed']),
    firstOutputId: BigInt((row['first_output_token_id'] as string | null) ?? 0),
    outputs: (row['outputs'] as StoredOutput[]).map((output) => ({
      ...output,
      tokenId: BigInt(output.tokenId),
      quantity: BigInt(output.quantity),
      expiresAt: BigInt(output.expiresAt),
    })),
  };
}
