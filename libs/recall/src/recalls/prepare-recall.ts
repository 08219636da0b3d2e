import { ChainHead } from '#chain';
import { type Actor, type Role } from '#kernel';
import type { SnapshotTx } from '#persistence';
import { PrepareCall, type PreparedContractCall, type StoredContent } from '#prepare';
import { Lots } from '#traceability';
import { Span } from '#tracing';
import { Injectable } from '@nestjs/common';
import { alreadyRecalled, lotNotFinal, lotNotFound, reachIncomplete } from '../errors.js';
import { AssessImpact, type Impact, WHOLE_REACH, affectedOf } from '../impact/assess-impact.js';
import { MOST_RECALLED, type Propagation, type RecallInput, batches, lotsToRecall } from './recall.js';
import { StorePrepared } from './store-prepared.js';
import { requireLotScope } from './check-lot-scope.js';

export interface PreparedRecall {
  /** At least one; each flags its lots by itself, in any order. */
  readonly calls: readonly PreparedContractCall[];
  readonly content: StoredContent;
  readonly tokenIds: readonly bigint[];
  readonly affectedCount: number;
  /** Null where not everything could be counted. */
  readonly estimatedUnits: number | null;
  readonly truncated: boolean;
}

interface ExaminedRecall {
  readonly tokenIds: readonly bigint[];
  readonly head: number;
  readonly reach: Impact;
}

/**
 * `POST /nfts/{tokenId}/recall/prepare`: the notice stored by content, and the unsigned calls that put its hash on chain. The scope has to
 * cover the processes of the lots that it recalls or puts on hold, and not of those that it only flags.
 */
@Injectable()
export class PrepareRecall {
  static readonly roles: readonly Role[] = ['TENANT_ADMIN'];

  constructor(
    private readonly prepareCall: PrepareCall,
    private readonly impact: AssessImpact,
    private readonly lots: Lots,
    private readonly chainHead: ChainHead,
    private readonly storePrepared: StorePrepared,
  ) {}

  /**
   * @throws DomainError 404 `lot_not_found`, 403 `process_out_of_scope`, 409 `input_not_final`, `already_recalled`, 422 `reach_incomplete` with propagation `recall`,
   * `invalid_content`, `tx_would_revert`
   */
  @Span('prepare recall')
  async prepare(actor: Actor, tokenId: bigint, { from, propagation = 'flag', ...notice }: RecallInput): Promise<PreparedRecall> {
    const prepared = await this.prepareCall.prepare<ExaminedRecall>(actor, {
      roles: PrepareRecall.roles,
      from,
      examine: (tx) => this.examine(tx, actor, tokenId, propagation),
      // What was affected when the recall was prepared is part of the notice: lots may be minted before it lands.
      note: ({ head, reach }) => ({
        call: {
          method: 'recall',
          tokenId: Number(tokenId),
          affected: { count: affectedOf(reach.reached).length, block: head, truncated: reach.truncated },
        },
        metadata: { ...notice, propagation },
      }),
      calls: ({ tokenIds }, { dataHash }) =>
        tokenIds.length === 1
          ? [{ method: 'recall', args: { tokenId: tokenIds[0]!, dataHash } }]
          : batches(tokenIds, MOST_RECALLED).map((batch) => ({ method: 'recallMany', args: { tokenIds: batch, dataHash } })),
      record: (tx, _, content) => this.storePrepared.store(tx, actor, from, content!),
    });
    const { tokenIds, reach } = prepared.found;
    return {
      calls: prepared.calls,
      content: prepared.content!,
      tokenIds,
      affectedCount: affectedOf(reach.reached).length,
      estimatedUnits: reach.whole ? reach.tally.estimatedUnits : null,
      truncated: reach.truncated,
    };
  }

  private async examine(tx: SnapshotTx, actor: Actor, tokenId: bigint, propagation: Propagation): Promise<ExaminedRecall> {
    const [lot] = await this.lots.byTokenIds(tx, [tokenId]);
    if (!lot) throw lotNotFound(tokenId);
    await requireLotScope(this.lots, tx, { actor, roles: PrepareRecall.roles }, [tokenId]);
    const { head, final } = await this.chainHead.position(tx);
    if (lot.mintBlock > final) throw lotNotFinal(tokenId);
    const reach = await this.impact.assess(tx, tokenId, WHOLE_REACH, null);
    if (reach.truncated && propagation === 'recall') throw reachIncomplete(tokenId, reach.truncatedBy!, reach.frontier);
    const affected = reach.reached.map(({ lot: found, relation }) => ({ ...found, relation }));
    const tokenIds = lotsToRecall({ ...lot, relation: 'transformed' }, affected, propagation);
    if (tokenIds.length === 0) throw alreadyRecalled(tokenId);
    const held = propagation === 'hold' ? affectedOf(reach.reached).map((found) => found.tokenId) : [];
    await requireLotScope(this.lots, tx, { actor, roles: PrepareRecall.roles }, [...tokenIds, ...held]);
    return { tokenIds, head, reach };
  }
}
