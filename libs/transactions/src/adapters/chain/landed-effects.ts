import type { LandedLog } from '#chain';
import { ZERO_BYTES32, derivedId, eventIdFromBytes } from '#kernel';
import type { Landed } from '../persistence/landed-table.js';

/** Folds the logs of each transaction into what it did. Reads logs only: what lies inside a moved container is custody's to say. */
export function landedEffects(chainId: number, logs: readonly LandedLog[]): Landed[] {
  const byTx = new Map<string, LandedLog[]>();
  for (const log of logs) {
    const before = byTx.get(log.txHash);
    if (before) before.push(log);
    else byTx.set(log.txHash, [log]);
  }
  return [...byTx.values()].map((of) => {
    const touched = of.map((log) => touchedBy(chainId, log));
    return {
      txHash: of[0]!.txHash.toLowerCase(),
      block: of[0]!.block.number,
      eventIds: unique(touched.flatMap(({ eventId }) => eventId ?? [])),
      tokenIds: unique(touched.flatMap(({ tokenIds }) => tokenIds)).toSorted((a, b) => a - b),
      transferIds: unique(touched.flatMap(({ transferIds }) => transferIds)),
    };
  });
}

interface Touched {
  readonly eventId: string | null;
  readonly tokenIds: readonly number[];
  readonly transferIds: readonly string[];
}

function touchedBy(chainId: number, log: LandedLog): Touched {
  const touched = (tokenIds: readonly bigint[], transferIds: readonly string[] = []): Touched => ({
    eventId: 'eventId' in log.args && log.args.eventId !== ZERO_BYTES32 ? eventIdFromBytes(log.args.eventId) : null,
    tokenIds: tokenIds.map(Number),
    transferIds,
  });
  switch (log.name) {
    case 'LotMinted':
      return touched([log.args.tokenId]);
    case 'CustodyOffered':
    case 'CustodyAccepted':
    case 'CustodyRejected':
    case 'CustodyCancelled':
      return touched(
        log.args.tokenIds,
        log.args.tokenIds.map((tokenId) => `${tokenId}-${log.args.offerNo}`),
      );
    case 'CustodyMoved':
      return touched([log.args.tokenId], [derivedId('transfer', chainId, log.contract, log.txHash, log.txLogIndex, log.args.tokenId)]);
    case 'LotsRecalled':
    case 'RecallLifted':
    case 'LotsRetired':
      return touched(log.args.tokenIds);
    default:
      return touched([]);
  }
}

const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];
