import { ChainHead, type PreparedCall, TransactionPreparer } from '#chain';
import { Tenants, senderOf } from '#identity';
import type { Actor, Hex } from '#kernel';
import { UnitOfWork } from '#persistence';
import { CallNotes, Lots } from '#traceability';
import { Step } from '#tracing';
import { Injectable } from '@nestjs/common';
import { alreadyRecalled, lotNotFinal, lotNotFound, reachIncomplete } from '../domain/errors.js';
import { MOST_RECALLED, type RecallInput, WHOLE_REACH, batches, lotsToRecall } from '../domain/recall-order.js';
import { AssessImpact, affectedOf } from './assess-impact.js';

export interface PreparedRecall {
  /** At least one; each flags its lots by itself, in any order. */
  readonly calls: readonly PreparedCall[];
  readonly method: string;
  readonly tokenIds: readonly bigint[];
  readonly ipfsCid: string;
  readonly dataHash: Hex;
  readonly affectedCount: number;
  readonly estimatedUnits: number;
  readonly truncated: boolean;
}

/** `POST /nfts/{tokenId}/recall/prepare`: the notice stored by content, and the unsigned calls that put its hash on chain. */
@Injectable()
export class PrepareRecall {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly impact: AssessImpact,
    private readonly lots: Lots,
    private readonly chainHead: ChainHead,
    private readonly notes: CallNotes,
    private readonly transactions: TransactionPreparer,
    private readonly tenants: Tenants,
  ) {}

  /**
   * @throws DomainError 404 `lot_not_found`, 409 `input_not_final`, `already_recalled`, 422 `reach_incomplete` with propagation `recall`,
   * `invalid_content`, `tx_would_revert`
   */
  @Step('prepare recall')
  async prepare(actor: Actor, tokenId: bigint, input: RecallInput): Promise<PreparedRecall> {
    const from = senderOf(actor, input.from);
    const { from: _, propagation = 'flag', ...said } = input;
    const { tokenIds, head, reach } = await this.examine(actor, tokenId, propagation);
    const contract = await this.tenants.contractOf(actor.tenantId);
    const affectedCount = affectedOf(reach.reached).length;
    // What was known when the recall was prepared goes with it: lots may be minted before it lands.
    const call = {
      method: 'recall',
      tokenId: Number(tokenId),
      affected: { count: affectedCount, block: head, truncated: reach.truncated },
    };
    const { ipfsCid, dataHash } = await this.notes.store(actor, { contract, from, call, metadata: { ...said, propagation } });
    const method = tokenIds.length === 1 ? 'recall' : 'recallMany';
    const calls: PreparedCall[] = [];
    for (const batch of batches(tokenIds, MOST_RECALLED))
      calls.push(await this.transactions.prepare({ contract, from, method, args: [method === 'recall' ? batch[0]! : batch, dataHash] }));
    return {
      calls,
      method,
      tokenIds,
      ipfsCid,
      dataHash,
      affectedCount,
      estimatedUnits: reach.tally.estimatedUnits,
      truncated: reach.truncated,
    };
  }

  private examine(actor: Actor, tokenId: bigint, propagation: NonNullable<RecallInput['propagation']>) {
    return this.unitOfWork.inSnapshot(actor, async (tx) => {
      const [lot] = await this.lots.byTokenIds(tx, [tokenId]);
      if (!lot) throw lotNotFound(tokenId);
      const { head, final } = await this.chainHead.position(tx);
      if (lot.mintBlock > final) throw lotNotFinal(tokenId);
      const reach = await this.impact.assess(tx, tokenId, WHOLE_REACH, null);
      if (reach.truncated && propagation === 'recall') throw reachIncomplete(tokenId, reach.truncatedBy!, reach.frontier);
      const reached = reach.reached.map(({ relation, trace }) => ({ ...trace, relation }));
      const tokenIds = lotsToRecall({ ...lot, relation: 'transformed' }, reached, propagation);
      if (tokenIds.length === 0) throw alreadyRecalled(tokenId);
      return { tokenIds, head, reach };
    });
  }
}
