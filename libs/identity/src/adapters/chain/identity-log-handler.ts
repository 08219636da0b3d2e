import { Injectable } from '@nestjs/common';
import { type LandedLog, LogHandler, type TenantLogs } from '#chain';
import type { SystemTx, TenantTx } from '#persistence';
import { subjectOf } from '../../domain/revocation.js';
import { Revocations } from '../../ports.js';

/** What each account may do in the tenants' contracts, and whose wallet moved: rows per change, taken back by block. */
@Injectable()
export class IdentityLogHandler extends LogHandler {
  constructor(private readonly revocations: Revocations) {
    super();
  }

  override async apply(tx: TenantTx, batch: TenantLogs): Promise<void> {
    const { logs } = batch;
    await insertRoles(
      tx,
      batch,
      logs.filter((log) => log.name === 'RolesChanged'),
    );
    await insertScopes(
      tx,
      batch,
      logs.filter((log) => log.name === 'ProcessScopeChanged'),
    );
    // One after the other: an address may move twice in a batch.
    for (const log of logs) if (log.name === 'WalletMoved') await this.move(tx, batch, log);
  }

  override async undo(tx: SystemTx, chainId: number, lastGoodBlock: number): Promise<void> {
    for (const table of ['chain_role', 'chain_process_scope'])
      await tx.sql(`delete from identity.${table} where chain_id = $1 and block_number > $2`, [chainId, lastGoodBlock]);
    const moves = await tx.sql<UndoneMove>(
      `delete from identity.wallet_move where chain_id = $1 and block_number > $2
       returning tenant_id, from_address, to_address, member_ids, bound, block_number, log_index`,
      [chainId, lastGoodBlock],
    );
    for (const move of moves.toSorted(newestFirst)) await this.moveBack(tx, move);
  }

  /** Members go over to the new address, and it gets the old one's place in the address book; the old one keeps its own, for history. */
  private async move(tx: TenantTx, { chainId, contract }: TenantLogs, log: Log<'WalletMoved'>): Promise<void> {
    const { from, to } = log.args;
    const members = await tx.sql<{ user_id: string }>(
      'update identity.member set wallet = $3 where tenant_id = $1 and wallet = $2 returning user_id',
      [tx.tenantId, from, to],
    );
    const bound = await tx.sql(
      `insert into identity.wallet (tenant_id, address, org_id, site_id, user_id, label, created_at)
       select tenant_id, $3, org_id, site_id, user_id, label, $4 from identity.wallet where tenant_id = $1 and address = $2
       on conflict do nothing returning address`,
      [tx.tenantId, from, to, log.block.timestamp],
    );
    await tx.sql(
      `insert into identity.wallet_move
         (tenant_id, contract, from_address, to_address, block_number, log_index, chain_id, member_ids, bound)
       values ($1, $2, $3, $4, $5, $6, $7, $8::uuid[], $9)`,
      [tx.tenantId, contract, from, to, log.block.number, log.logIndex, chainId, members.map((row) => row.user_id), bound.length > 0],
    );
    await this.revocations.record(tx, [subjectOf.tenant(tx.tenantId)]);
  }

  private async moveBack(tx: SystemTx, move: UndoneMove): Promise<void> {
    await tx.sql('update identity.member set wallet = $3 where tenant_id = $1 and user_id = any($2::uuid[]) and wallet = $4', [
      move.tenant_id,
      move.member_ids,
      move.from_address,
      move.to_address,
    ]);
    if (move.bound) await tx.sql('delete from identity.wallet where tenant_id = $1 and address = $2', [move.tenant_id, move.to_address]);
    await this.revocations.record(tx, [subjectOf.tenant(move.tenant_id)]);
  }
}

type Log<Name extends LandedLog['name']> = Extract<LandedLog, { readonly name: Name }>;

interface UndoneMove {
  readonly tenant_id: string;
  readonly from_address: string;
  readonly to_address: string;
  readonly member_ids: string[];
  readonly bound: boolean;
  readonly block_number: string;
  readonly log_index: number;
}

const newestFirst = (one: UndoneMove, other: UndoneMove): number =>
  Number(other.block_number) - Number(one.block_number) || other.log_index - one.log_index;

async function insertRoles(tx: TenantTx, { chainId, contract }: TenantLogs, logs: readonly Log<'RolesChanged'>[]): Promise<void> {
  if (logs.length === 0) return;
  await tx.sql(
    `insert into identity.chain_role (tenant_id, chain_id, contract, account, roles, block_number, log_index)
     select $1, $2, $3, c.* from unnest($4::text[], $5::int[], $6::bigint[], $7::int[]) as c`,
    [tx.tenantId, chainId, contract, logs.map(({ args }) => args.account), logs.map(({ args }) => Number(args.roles)), ...places(logs)],
  );
}

async function insertScopes(tx: TenantTx, { chainId, contract }: TenantLogs, logs: readonly Log<'ProcessScopeChanged'>[]): Promise<void> {
  if (logs.length === 0) return;
  await tx.sql(
    `insert into identity.chain_process_scope (tenant_id, chain_id, contract, account, process_id, allowed, block_number, log_index)
     select $1, $2, $3, c.* from unnest($4::text[], $5::text[], $6::boolean[], $7::bigint[], $8::int[]) as c`,
    [
      tx.tenantId,
      chainId,
      contract,
      logs.map(({ args }) => args.account),
      logs.map(({ args }) => args.processId.toLowerCase()),
      logs.map(({ args }) => args.allowed),
      ...places(logs),
    ],
  );
}

const places = (logs: readonly LandedLog[]): [number[], number[]] => [
  logs.map(({ block }) => block.number),
  logs.map((log) => log.logIndex),
];
