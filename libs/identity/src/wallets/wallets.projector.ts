import { Inject, Injectable } from '@nestjs/common';
import { type ContractLog, ChainProjector, type LogBatch } from '#chain';
import type { SystemTx, TenantTx } from '#persistence';
import { subjectOf } from '../access/principal.js';
import { RevocationsQueries } from '../access/revocations.queries.js';
import { ChainGrantsQueries } from './chain-grants.queries.js';
import { WalletsQueries } from './wallets.queries.js';

/** What each account may do in the tenants' contracts, and which wallets moved: one row per change, so that a block can be undone. */
@Injectable()
export class WalletsProjector extends ChainProjector {
  constructor(
    private readonly grants: ChainGrantsQueries,
    private readonly wallets: WalletsQueries,
    @Inject(RevocationsQueries) private readonly revocations: Pick<RevocationsQueries, 'record'>,
  ) {
    super();
  }

  override async apply(tx: TenantTx, batch: LogBatch): Promise<void> {
    await this.grants.insertRoles(
      tx,
      batch,
      batch.logs
        .filter((log) => log.name === 'RolesChanged')
        .map((log) => ({ account: log.args.account, roles: Number(log.args.roles), ...positionOf(log) })),
    );
    await this.grants.insertScopes(
      tx,
      batch,
      batch.logs
        .filter((log) => log.name === 'ProcessScopeChanged')
        .map(({ args, ...log }) => ({
          account: args.account,
          processId: args.processId.toLowerCase(),
          allowed: args.allowed,
          ...positionOf(log),
        })),
    );
    // One after the other: an address may move twice in a batch.
    for (const log of batch.logs) if (log.name === 'WalletMoved') await this.move(tx, batch, log);
  }

  override async undo(tx: SystemTx, chainId: number, lastGoodBlock: number): Promise<void> {
    await this.grants.deleteAfter(tx, chainId, lastGoodBlock);
    const tenants = await this.wallets.undoMoves(tx, chainId, lastGoodBlock);
    if (tenants.length > 0) await this.revocations.record(tx, [...new Set(tenants)].map(subjectOf.tenant));
  }

  private async move(
    tx: TenantTx,
    { chainId, contract }: LogBatch,
    log: Extract<ContractLog, { readonly name: 'WalletMoved' }>,
  ): Promise<void> {
    const { from, to } = log.args;
    await this.wallets.move(tx, { contract, chainId, from, to, ...positionOf(log), at: log.block.timestamp });
    await this.revocations.record(tx, [subjectOf.tenant(tx.tenantId)]);
  }
}

const positionOf = ({
  block,
  logIndex,
}: Pick<ContractLog, 'block' | 'logIndex'>): { readonly blockNumber: number; readonly logIndex: number } => ({
  blockNumber: block.number,
  logIndex,
});
