import { LogHandler, type TenantLogs } from '#chain';
import type { SystemTx, TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { saveLanded, undoLanded } from '../persistence/landed-table.js';
import { landedEffects } from './landed-effects.js';

/** Keeps what each transaction did, so that a tracked hash can tell its effects from the projection. */
@Injectable()
export class TransactionsLogHandler extends LogHandler {
  override apply(tx: TenantTx, { chainId, contract, logs }: TenantLogs): Promise<void> {
    return saveLanded(tx, chainId, contract, landedEffects(chainId, logs));
  }

  override undo(tx: SystemTx, chainId: number, lastGoodBlock: number): Promise<void> {
    return undoLanded(tx, chainId, lastGoodBlock);
  }
}
