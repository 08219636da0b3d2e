import { type ContractLog, ChainProjector, type LogBatch } from '#chain';
import { ZERO_BYTES32, derivedId, eventIdFromBytes } from '#kernel';
import type { SystemTx, TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { EffectQueries, type LandedEffects } from './effects.queries.js';

/** Keeps what each transaction did, so that a tracked hash can show its effects. */
@Injectable()
export class TransactionsProjector extends ChainProjector {
  constructor(private readonly effects: EffectQueries) {
    super();
  }

  override async apply(tx: TenantTx, { chainId, contract, logs }: LogBatch): Promise<void> {
    const landed = landedEffects(chainId, logs);
    await this.effects.save(tx, chainId, contract, landed);
    await this.effects.wake(tx, chainId, landed);
  }

  override undo(tx: SystemTx, chainId: number, lastGoodBlock: number): Promise<void> {
    return this.effects.undo(tx, chainId, lastGoodBlock);
  }
}

/** What the logs of one transaction did. */
class EffectsOfTransaction {
  readonly eventIds = new Set<string>();
  readonly tokenIds = new Set<number>();
  readonly transferIds = new Set<string>();

  constructor(
    readonly txHash: string,
    readonly block: number,
  ) {}

  add(chainId: number, log: ContractLog): void {
    const eventId = 'eventId' in log.args && log.args.eventId !== ZERO_BYTES32 ? eventIdFromBytes(log.args.eventId) : null;
    if (eventId !== null) this.eventIds.add(eventId);
    switch (log.name) {
      case 'LotMinted':
        this.tokenIds.add(Number(log.args.tokenId));
        return;
      case 'LotSplit':
        this.tokenIds.add(Number(log.args.tokenId)).add(Number(log.args.partId));
        return;
      case 'CustodyOffered':
      case 'CustodyAccepted':
      case 'CustodyRejected':
      case 'CustodyCancelled':
        for (const tokenId of log.args.tokenIds) this.moved(tokenId, `${tokenId}-${log.args.offerNo}`);
        return;
      case 'CustodyMoved':
        return this.moved(log.args.tokenId, derivedId('transfer', chainId, log.contract, log.txHash, log.txLogIndex, log.args.tokenId));
      case 'LotsRecalled':
      case 'RecallLifted':
      case 'LotsRetired':
        for (const tokenId of log.args.tokenIds) this.tokenIds.add(Number(tokenId));
        return;
      default:
    }
  }

  get landed(): LandedEffects {
    return {
      txHash: this.txHash.toLowerCase(),
      block: this.block,
      eventIds: [...this.eventIds],
      tokenIds: [...this.tokenIds].toSorted((a, b) => a - b),
      transferIds: [...this.transferIds],
    };
  }

  private moved(tokenId: bigint, transferId: string): void {
    this.tokenIds.add(Number(tokenId));
    this.transferIds.add(transferId);
  }
}

/** Folds the logs of each transaction into what it did. Reads logs only: custody knows what is inside a moved container. */
function landedEffects(chainId: number, logs: readonly ContractLog[]): LandedEffects[] {
  const byTx = new Map<string, EffectsOfTransaction>();
  for (const log of logs) {
    const effects = byTx.get(log.txHash) ?? new EffectsOfTransaction(log.txHash, log.block.number);
    byTx.set(log.txHash, effects);
    effects.add(chainId, log);
  }
  return [...byTx.values()].map(({ landed }) => landed);
}
