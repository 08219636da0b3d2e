import { Injectable } from '@nestjs/common';
import { ChainProjector, type ContractLog, type LogBatch } from '#chain';
import { Tenants } from '#identity';
import { type Hex, eventIdFromBytes, ZERO_BYTES32 } from '#kernel';
import type { SystemTx, TenantTx } from '#persistence';
import { holdErasures } from '#sealed-contents';
import { Lots } from '#traceability';
import { SHORT_REASONS, type ShortReason } from '../transfers/custody-request.rules.js';
import { type Closing, type Moving, Transfer, type Transition } from '../transfers/transfer.js';
import type { HandOver } from '../transfers/hand-over.js';
import { handOversOf } from '../transfers/hand-overs.queries.js';
import { publishTransfers } from './publish-transfers.js';
import { openTransfers, saveTransfers, undoTransfers } from '../transfers/transfers.queries.js';

/** Folds offers, answers and direct moves into `custody.transfer`, and publishes offers, rejections and completed ones. Runs after traceability's projector. */
@Injectable()
export class CustodyProjector extends ChainProjector {
  constructor(
    readonly lots: Lots,
    readonly tenants: Tenants,
  ) {
    super();
  }

  override async apply(tx: TenantTx, { chainId, contract, logs }: LogBatch): Promise<void> {
    const custody = logs.filter((log) => isCustodyLog(log) || isLeavingLog(log));
    if (custody.length === 0) return;
    const named = custody.filter(isCustodyLog);
    const closing = named.filter(isClosingLog).map((log) => log.args.offerNo);
    const [open, contentsOf] = [await openTransfers(tx, contract, closing), await this.contents(tx, named.filter(isMovingLog))];
    const notes = named.flatMap(noteHashOf);
    if (notes.length > 0) await holdErasures(tx);
    const handOvers = await handOversOf(tx, notes);
    const fold = new TransferFold({ tenantId: tx.tenantId, chainId, contentsOf, handOvers }, open);
    for (const log of custody) fold.apply(log);
    const changed = [...fold.changed];
    await saveTransfers(tx, changed);
    await publishTransfers(tx, this, { offered: [...fold.offered], closed: changed.filter(({ closed }) => closed !== null) });
  }

  override undo(tx: SystemTx, chainId: number, lastGoodBlock: number): Promise<void> {
    return undoTransfers(tx, chainId, lastGoodBlock);
  }

  private async contents(tx: TenantTx, moving: readonly MovingLog[]): Promise<ContentsOf> {
    const named = moving.flatMap((log) => tokenIdsOf(log).map((tokenId) => ({ tokenId, moment: momentOf(log) })));
    const facts = await this.lots.byTokenIds(tx, [...new Set(named.map(({ tokenId }) => tokenId))]);
    const containers = new Set(facts.filter((lot) => lot.isContainer).map((lot) => lot.tokenId));
    const moved = named
      .filter(({ tokenId }) => containers.has(tokenId))
      .map(({ tokenId, moment }) => ({ containerTokenId: tokenId, moment }));
    const contained = moved.length === 0 ? [] : await this.lots.contentsAt(tx, moved);
    const key = (tokenId: bigint, moment: { block: number; logIndex: number }): string => `${tokenId}:${moment.block}:${moment.logIndex}`;
    const byContainer = new Map<string, { tokenId: bigint; viaTokenId: bigint }[]>();
    for (const lot of contained) {
      const container = key(lot.containerTokenId, lot.moment);
      const known = byContainer.get(container);
      if (known) known.push(lot);
      else byContainer.set(container, [lot]);
    }
    return (log, tokenId) => byContainer.get(key(tokenId, momentOf(log))) ?? [];
  }
}

const momentOf = (log: MovingLog): { block: number; logIndex: number } => ({ block: log.block.number, logIndex: log.logIndex });

type CustodyLog = Extract<
  ContractLog,
  { name: 'CustodyOffered' | 'CustodyAccepted' | 'CustodyRejected' | 'CustodyCancelled' | 'CustodyMoved' }
>;
type LeavingLog = Extract<ContractLog, { name: 'LotSplit' }>;
type MovingLog = Extract<CustodyLog, { name: 'CustodyOffered' | 'CustodyMoved' }>;

/** A later version of the contract may have reasons that are unknown here: the part is refused all the same. */
const REASONS: Readonly<Record<number, ShortReason>> = Object.fromEntries(
  Object.entries(SHORT_REASONS).map(([name, reason]) => [reason, name as ShortReason]),
);

const CLOSES: Readonly<Record<string, Closing>> = {
  CustodyAccepted: 'accepted',
  CustodyRejected: 'rejected',
  CustodyCancelled: 'cancelled',
};

const isCustodyLog = (log: ContractLog): log is CustodyLog => log.name.startsWith('Custody');
/** A receiver leaves a part of an offered lot; the log that rejects it follows. A part that is split to be offered has reason 0. */
const isLeavingLog = (log: ContractLog): log is LeavingLog => log.name === 'LotSplit' && log.args.reason !== 0;
/** Logs that start a move. The contents of a container are read then: they cannot change before the offer is closed. */
const isMovingLog = (log: CustodyLog): log is MovingLog => log.name === 'CustodyOffered' || log.name === 'CustodyMoved';
const isClosingLog = (log: CustodyLog): log is Exclude<CustodyLog, MovingLog> => log.name in CLOSES;
export const tokenIdsOf = (log: CustodyLog): readonly bigint[] => (log.name === 'CustodyMoved' ? [log.args.tokenId] : log.args.tokenIds);

/** What moves with a named lot because it is inside it. */
type ContentsOf = (log: MovingLog, tokenId: bigint) => readonly { readonly tokenId: bigint; readonly viaTokenId: bigint }[];

/** What is read before a fold. */
interface FoldInputs {
  readonly tenantId: string;
  readonly chainId: number;
  readonly contentsOf: ContentsOf;
  /** By the hash of their note. */
  readonly handOvers: ReadonlyMap<string, HandOver>;
}

/** Folds custody logs, in chain order, over the transfers that were open before them. */
class TransferFold {
  readonly changed = new Set<Transfer>();
  readonly offered = new Set<Transfer>();
  private readonly open = new Map<bigint, Transfer[]>();

  constructor(
    private readonly known: FoldInputs,
    open: readonly Transfer[],
  ) {
    for (const transfer of open) this.keepOpen(transfer);
  }

  apply(log: CustodyLog | LeavingLog): void {
    if (log.name === 'LotSplit') this.leave(log);
    else if (log.name === 'CustodyOffered') for (const moving of this.moving(log)) this.offer(moving, log);
    else if (log.name === 'CustodyMoved')
      for (const moving of this.moving(log)) this.change(Transfer.direct(this.known.tenantId, moving, this.transitionOf(log)));
    else this.close(log);
  }

  private offer(moving: Moving, log: Extract<CustodyLog, { name: 'CustodyOffered' }>): void {
    const transfer = Transfer.offered(this.known.tenantId, moving, log.args.offerNo, this.transitionOf(log));
    this.offered.add(transfer);
    this.change(this.keepOpen(transfer));
  }

  /** Kept when it is closed, which the same call does. */
  private leave({ args, block }: LeavingLog): void {
    const whole = [...this.open.values()].flat().find((transfer) => transfer.tokenId === args.tokenId && !transfer.closed);
    if (!whole) throw new Error(`lot ${args.tokenId} was split by its receiver and was never offered`);
    this.keepOpen(whole.split(args.partId, block.number, REASONS[args.reason] ?? 'refused'));
  }

  private close(log: Exclude<CustodyLog, MovingLog>): void {
    const named = new Set(log.args.tokenIds);
    const closing = (this.open.get(log.args.offerNo) ?? []).filter((transfer) => named.has(transfer.namedTokenId) && !transfer.closed);
    for (const transfer of closing) {
      transfer.close(CLOSES[log.name]!, this.transitionOf(log));
      this.change(transfer);
      named.delete(transfer.tokenId);
    }
    if (named.size > 0) throw new Error(`offer ${log.args.offerNo} was never seen for lot ${[...named].join(', ')}`);
  }

  private moving(log: MovingLog): Moving[] {
    const { chainId, contentsOf } = this.known;
    const { contract } = log;
    return tokenIdsOf(log).flatMap((namedTokenId) => [
      { chainId, contract, namedTokenId, tokenId: namedTokenId, viaContainerTokenId: null },
      ...contentsOf(log, namedTokenId).map(({ tokenId, viaTokenId }) => ({
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

  private change(transfer: Transfer): void {
    this.changed.add(transfer);
  }

  private transitionOf(log: CustodyLog): Transition {
    const [note] = noteHashOf(log);
    return {
      from: log.args.from,
      to: log.args.to,
      at: log.block.timestamp,
      block: log.block.number,
      txHash: log.txHash,
      logIndex: log.logIndex,
      txLogIndex: log.txLogIndex,
      eventId: 'eventId' in log.args && log.args.eventId !== ZERO_BYTES32 ? eventIdFromBytes(log.args.eventId) : null,
      note: note ?? null,
      handOver: (note && this.known.handOvers.get(note)) ?? null,
    };
  }
}

/** The hash of what is stored with a call: of a note, or of an event that has its own time and place. */
const noteHashOf = (log: CustodyLog): Hex[] => ('dataHash' in log.args && log.args.dataHash !== ZERO_BYTES32 ? [log.args.dataHash] : []);
