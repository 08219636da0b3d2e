import { Injectable } from '@nestjs/common';
import type { TenantTx, Tx } from '#persistence';
import type { CommittedRecord } from '../events/event-record.js';
import type { Obstacle } from '../errors.js';
import type { ErrorDeclaration } from './correction.rules.js';

/** Obstacles reported for one event, and events named for each; more appear when these are gone. */
const MAX_OBSTACLES = 50;
const MAX_EVENTS = 20;

/** An error declaration that was prepared; it counts when its hash lands. */
interface PreparedDeclaration extends ErrorDeclaration {
  readonly eventId: string;
  readonly dataHash: string;
  /** User or API key id. */
  readonly preparedBy: string;
  /** EIP-55; null when it was prepared without one. */
  readonly sender: string | null;
  /** The organisation of who prepared it. */
  readonly orgId: string | null;
}

/** What prevents taking an event back, and who may correct it. */
@Injectable()
export class CorrectionQueries {
  /** Those of the ids that are on chain. */
  async landed(tx: TenantTx, ids: readonly string[]): Promise<ReadonlySet<string>> {
    if (ids.length === 0) return new Set();
    const rows = await tx.sql<{ id: string }>(
      'select id from traceability.event where tenant_id = $1 and id = any($2::uuid[]) and block_number is not null',
      [tx.tenantId, ids],
    );
    return new Set(rows.map((row) => row.id));
  }

  /** Empty when the event can be voided. */
  async obstacles(tx: TenantTx, event: CommittedRecord): Promise<readonly Obstacle[]> {
    const used = event.inputTokenIds.filter((_, i) => (event.consumed[i] ?? 0n) !== 0n);
    return tx.sql<Obstacle>(OBSTACLES, [tx.tenantId, event.id, event.outputs.map((output) => String(output.tokenId)), used.map(String)]);
  }

  async isContractAdmin(tx: TenantTx, contract: string, account: string): Promise<boolean> {
    return (((await loadRoles(tx, contract, [account])).get(account) ?? 0) & CONTRACT_ADMIN) !== 0;
  }

  async declare(tx: TenantTx, declaration: PreparedDeclaration): Promise<void> {
    const { eventId, dataHash, reason, correctiveEventIDs, preparedBy, sender, orgId } = declaration;
    await tx.sql(
      `insert into traceability.error_declaration (tenant_id, event_id, data_hash, reason, corrective_event_ids, prepared_at, prepared_by,
         prepared_sender, prepared_org)
       values ($1, $2, $3, $4, $5, now(), $6, $7, $8)`,
      [tx.tenantId, eventId, dataHash, reason, correctiveEventIDs, preparedBy, sender, orgId],
    );
  }
}

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

export interface RolesAt {
  readonly account: string;
  readonly roles: number;
  readonly block: number;
  readonly logIndex: number;
}

/** Bit 1 of contracts/src/TenantLots.sol. */
export const CONTRACT_ADMIN = 1;

/** Current on-chain roles of accounts in one contract; absent = none. */
export async function loadRoles(tx: TenantTx, contract: string, accounts: readonly string[]): Promise<Map<string, number>> {
  if (accounts.length === 0) return new Map();
  const rows = await tx.sql<{ account: string; roles: number }>(
    `select distinct on (account) account, roles from traceability.account_roles
     where tenant_id = $1 and contract = $2 and account = any($3::text[]) order by account, block_number desc, log_index desc`,
    [tx.tenantId, contract, accounts],
  );
  return new Map(rows.map((row) => [row.account, row.roles]));
}

export async function insertRoles(tx: TenantTx, chainId: number, contract: string, changes: readonly RolesAt[]): Promise<void> {
  if (changes.length === 0) return;
  await tx.sql(
    `insert into traceability.account_roles (tenant_id, chain_id, contract, account, roles, block_number, log_index)
     select $1, $2, $3, c.* from unnest($4::text[], $5::integer[], $6::bigint[], $7::integer[]) as c`,
    [
      tx.tenantId,
      chainId,
      contract,
      changes.map((c) => c.account),
      changes.map((c) => c.roles),
      changes.map((c) => c.block),
      changes.map((c) => c.logIndex),
    ],
  );
}

export async function undoRoles(tx: Tx, chainId: number, lastGoodBlock: number): Promise<void> {
  await tx.sql('delete from traceability.account_roles where chain_id = $1 and block_number > $2', [chainId, lastGoodBlock]);
}
