import type { LandedLog } from '#chain';
import { ZERO_BYTES32, eventIdFromBytes } from '#kernel';
import { type Closing, type Moving, type Step, Transfer } from '../../domain/transfer.js';

export type CustodyLog = Extract<
  LandedLog,
  { name: 'CustodyOffered' | 'CustodyAccepted' | 'CustodyRejected' | 'CustodyCancelled' | 'CustodyMoved' }
>;
export type MovingLog = Extract<CustodyLog, { name: 'CustodyOffered' | 'CustodyMoved' }>;

const CLOSES: Readonly<Record<string, Closing>> = {
  CustodyAccepted: 'accepted',
  CustodyRejected: 'rejected',
  CustodyCancelled: 'cancelled',
};

export const isCustodyLog = (log: LandedLog): log is CustodyLog => log.name.startsWith('Custody');
/** Logs that set lots in motion: then it is said what lies inside them; it cannot change before the offer is closed. */
export const isMovingLog = (log: CustodyLog): log is MovingLog => log.name === 'CustodyOffered' || log.name === 'CustodyMoved';
export const isClosingLog = (log: CustodyLog): log is Exclude<CustodyLog, MovingLog> => log.name in CLOSES;
export const namedIn = (log: CustodyLog): readonly bigint[] => (log.name === 'CustodyMoved' ? [log.args.tokenId] : log.args.tokenIds);

/** What moves with a named lot because it lies inside of it. */
export type ContentsOf = (log: MovingLog, tokenId: bigint) => readonly { readonly tokenId: bigint; readonly viaTokenId: bigint }[];

/** Folds custody logs, in chain order, over the transfers that were open before them. */
export class CustodyLedger {
  readonly touched = new Set<Transfer>();
  private readonly open = new Map<bigint, Transfer[]>();

  constructor(
    private readonly tenantId: string,
    private readonly chainId: number,
    open: readonly Transfer[],
    private readonly contentsOf: ContentsOf,
  ) {
    for (const transfer of open) this.keepOpen(transfer);
  }

  apply(log: CustodyLog): void {
    if (log.name === 'CustodyOffered')
      for (const moving of this.moving(log))
        this.touch(this.keepOpen(Transfer.offered(this.tenantId, moving, log.args.offerNo, stepOf(log))));
    else if (log.name === 'CustodyMoved')
      for (const moving of this.moving(log)) this.touch(Transfer.direct(this.tenantId, moving, stepOf(log)));
    else this.close(log);
  }

  private close(log: Exclude<CustodyLog, MovingLog>): void {
    const named = new Set(log.args.tokenIds);
    const closing = (this.open.get(log.args.offerNo) ?? []).filter((transfer) => named.has(transfer.namedTokenId) && !transfer.closed);
    for (const transfer of closing) {
      transfer.close(CLOSES[log.name]!, stepOf(log));
      this.touch(transfer);
      named.delete(transfer.tokenId);
    }
    if (named.size > 0) throw new Error(`offer ${log.args.offerNo} was never seen for lot ${[...named].join(', ')}`);
  }

  private moving(log: MovingLog): Moving[] {
    const { chainId } = this;
    const { contract } = log;
    return namedIn(log).flatMap((namedTokenId) => [
      { chainId, contract, namedTokenId, tokenId: namedTokenId, viaContainerTokenId: null },
      ...this.contentsOf(log, namedTokenId).map(({ tokenId, viaTokenId }) => ({
        chainId,
        contract,
        namedTokenId,
        tokenId,
        viaContainerTokenId: viaTokenId,
      })),
    ]);
  }

  private keepOpen(transfer: Transfer): Transfer {
    const offer = this.open.get(transfer.offerNo!);
    if (offer) offer.push(transfer);
    else this.open.set(transfer.offerNo!, [transfer]);
    return transfer;
  }

  private touch(transfer: Transfer): void {
    this.touched.add(transfer);
  }
}

function stepOf(log: CustodyLog): Step {
  return {
    from: log.args.from,
    to: log.args.to,
    at: log.block.timestamp,
    block: log.block.number,
    txHash: log.txHash,
    logIndex: log.logIndex,
    txLogIndex: log.txLogIndex,
    eventId: 'eventId' in log.args && log.args.eventId !== ZERO_BYTES32 ? eventIdFromBytes(log.args.eventId) : null,
  };
}
