import { LogHandler, type TenantLogs } from '#chain';
import { Tenants } from '#identity';
import type { SystemTx, TenantTx } from '#persistence';
import { Lots } from '#traceability';
import { Injectable } from '@nestjs/common';
import { custodyTransferred, transferredKey } from '../../domain/custody-transferred.js';
import type { Transfer } from '../../domain/transfer.js';
import { openTransfers, saveTransfers, undoTransfers } from '../persistence/transfer-table.js';
import { type ContentsOf, CustodyLedger, type MovingLog, isClosingLog, isCustodyLog, isMovingLog, namedIn } from './custody-ledger.js';

/** Projects offers, answers and direct moves into `custody.transfer`, and tells of completed ones. Runs after traceability's. */
@Injectable()
export class CustodyLogHandler extends LogHandler {
  constructor(
    private readonly lots: Lots,
    private readonly tenants: Tenants,
  ) {
    super();
  }

  override async apply(tx: TenantTx, { chainId, contract, logs }: TenantLogs): Promise<void> {
    const custody = logs.filter(isCustodyLog);
    if (custody.length === 0) return;
    const closing = custody.filter(isClosingLog).map((log) => log.args.offerNo);
    const [open, contentsOf] = [await openTransfers(tx, contract, closing), await this.contents(tx, custody.filter(isMovingLog))];
    const ledger = new CustodyLedger(tx.tenantId, chainId, open, contentsOf);
    for (const log of custody) ledger.apply(log);
    const touched = [...ledger.touched];
    await saveTransfers(tx, touched);
    await this.announce(
      tx,
      touched.filter((transfer) => transfer.completed),
    );
  }

  override undo(tx: SystemTx, chainId: number, lastGoodBlock: number): Promise<void> {
    return undoTransfers(tx, chainId, lastGoodBlock);
  }

  private async contents(tx: TenantTx, moving: readonly MovingLog[]): Promise<ContentsOf> {
    const named = moving.flatMap((log) => namedIn(log).map((tokenId) => ({ tokenId, moment: momentOf(log) })));
    const facts = await this.lots.byTokenIds(tx, [...new Set(named.map(({ tokenId }) => tokenId))]);
    const containers = new Set(facts.filter((lot) => lot.isContainer).map((lot) => lot.tokenId));
    const asked = named.filter(({ tokenId }) => containers.has(tokenId));
    const inside =
      asked.length === 0
        ? []
        : await this.lots.contentsAt(
            tx,
            asked.map(({ tokenId, moment }) => ({ containerTokenId: tokenId, moment })),
          );
    const key = (tokenId: bigint, moment: { block: number; logIndex: number }): string => `${tokenId}:${moment.block}:${moment.logIndex}`;
    const found = new Map<string, { tokenId: bigint; viaTokenId: bigint }[]>();
    for (const lot of inside) {
      const at = key(lot.containerTokenId, lot.moment);
      const there = found.get(at);
      if (there) there.push(lot);
      else found.set(at, [lot]);
    }
    return (log, tokenId) => found.get(key(tokenId, momentOf(log))) ?? [];
  }

  private async announce(tx: TenantTx, completed: readonly Transfer[]): Promise<void> {
    if (completed.length === 0) return;
    const { slug } = await this.tenants.byId(tx.tenantId);
    const facts = await this.lots.byTokenIds(tx, [...new Set(completed.map((transfer) => transfer.tokenId))]);
    const tlcs = new Map(facts.map((lot) => [lot.tokenId, lot.tlc]));
    await tx.publish(
      completed.map((transfer) => ({
        topic: 'custody.transferred',
        key: transferredKey(transfer),
        occurredAt: transfer.closed!.at,
        data: custodyTransferred(transfer, slug, tlcs.get(transfer.tokenId) ?? null),
        block: { chainId: transfer.chainId, number: transfer.closed!.block },
      })),
    );
  }
}

const momentOf = (log: MovingLog): { block: number; logIndex: number } => ({ block: log.block.number, logIndex: log.logIndex });
