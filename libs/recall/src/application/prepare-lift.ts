import { type PreparedCall, TransactionPreparer } from '#chain';
import { Tenants, senderOf } from '#identity';
import type { Actor } from '#kernel';
import { UnitOfWork } from '#persistence';
import { CallNotes, Lots } from '#traceability';
import { Step } from '#tracing';
import { Injectable } from '@nestjs/common';
import { lotNotFound, notRecalled } from '../domain/errors.js';
import { MOST_LIFTED, batches } from '../domain/recall-order.js';
import { Recalls } from '../ports.js';

/** The body of `POST /nfts/{tokenId}/recall/lift/prepare`. */
export interface LiftInput {
  readonly reason: string;
  /** `lot` (default), or every lot that was flagged together with it. */
  readonly scope?: 'lot' | 'recall';
  readonly from?: string;
}

export interface PreparedLift {
  readonly calls: readonly PreparedCall[];
  readonly tokenIds: readonly bigint[];
  readonly ipfsCid: string;
}

/** Takes back a recall that was made in error, or has done its work. */
@Injectable()
export class PrepareLift {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly lots: Lots,
    private readonly recalls: Recalls,
    private readonly notes: CallNotes,
    private readonly transactions: TransactionPreparer,
    private readonly tenants: Tenants,
  ) {}

  /** @throws DomainError 404 `lot_not_found`, 409 `not_recalled`, 422 `tx_would_revert` */
  @Step('prepare lift')
  async prepare(actor: Actor, tokenId: bigint, { reason, scope = 'lot', from: asked }: LiftInput): Promise<PreparedLift> {
    const from = senderOf(actor, asked);
    const tokenIds = await this.unitOfWork.inSnapshot(actor, async (tx) => {
      const [lot] = await this.lots.byTokenIds(tx, [tokenId]);
      if (!lot) throw lotNotFound(tokenId);
      if (!lot.recalled) throw notRecalled(tokenId);
      if (scope === 'lot') return [tokenId];
      const together = await this.recalls.flaggedTogether(tx, tokenId);
      return together.length === 0 ? [tokenId] : together;
    });
    const contract = await this.tenants.contractOf(actor.tenantId);
    const call = { method: 'liftRecall', tokenIds: tokenIds.map(Number) };
    const { ipfsCid, dataHash } = await this.notes.store(actor, { contract, from, call, metadata: { reason } });
    const calls: PreparedCall[] = [];
    for (const batch of batches(tokenIds, MOST_LIFTED))
      calls.push(await this.transactions.prepare({ contract, from, method: 'liftRecall', args: [batch, dataHash] }));
    return { calls, tokenIds, ipfsCid };
  }
}
