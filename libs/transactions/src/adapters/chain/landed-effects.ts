import type { LandedLog } from '#chain';
import { ZERO_BYTES32, derivedId, eventIdFromBytes } from '#kernel';
import type { Landed } from '../persistence/landed-table.js';

/** What the logs of one transaction did, gathered log by log. */
class Gathered {
  readonly eventIds = new Set<string>();
  readonly tokenIds = new Set<number>();
  readonly transferIds = new Set<string>();

  constructor(
    readonly txHash: string,
    readonly block: number,
  ) {}

  add(chainId: number, log: LandedLog): void {
    const eventId = 'eventId' in log.args && log.args.eventId !== ZERO_BYTES32 ? eventIdFromBytes(log.args.eventId) : null;
    if (eventId !== null) this.eventIds.add(eventId);
    switch (log.name) {
      case 'LotMinted':
        this.tokenIds.add(Number(log.args.tokenId));
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

  get landed(): Landed {
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

/** Folds the logs of each transaction into what it did. Reads logs only: what lies inside a moved container is custody's to say. */
export function landedEffects(chainId: number, logs: readonly LandedLog[]): Landed[] {
  const byTx = new Map<string, Gathered>();
  for (const log of logs) {
    const gathered = byTx.get(log.txHash) ?? new Gathered(log.txHash, log.block.number);
    byTx.set(log.txHash, gathered);
    gathered.add(chainId, log);
  }
  return [...byTx.values()].map(({ landed }) => landed);
}
