import { type Actor, type Role } from '#kernel';
import type { TenantTx } from '#persistence';
import { PrepareCall, type PreparedContractCall, type StoredContent } from '#prepare';
import { Lots } from '#traceability';
import { Span } from '#tracing';
import { Injectable } from '@nestjs/common';
import { lotNotFound, notRecalled } from '../errors.js';
import { MOST_LIFTED, batches } from './recall.js';
import { RecallQueries } from './recalls.queries.js';
import { StorePrepared } from './store-prepared.js';
import { requireLotScope } from './check-lot-scope.js';

type LiftScope = 'lot' | 'recall';

/** The body of `POST /nfts/{tokenId}/recall/lift/prepare`. */
export interface LiftInput {
  readonly reason: string;
  /** `lot` (default), or every lot that was flagged together with it. */
  readonly scope?: LiftScope;
  readonly from?: string;
}

export interface PreparedLift {
  readonly calls: readonly PreparedContractCall[];
  readonly content: StoredContent;
  readonly tokenIds: readonly bigint[];
}

/** Takes back a recall that was made in error, or is completed. */
@Injectable()
export class PrepareLift {
  static readonly roles: readonly Role[] = ['TENANT_ADMIN'];

  constructor(
    private readonly prepareCall: PrepareCall,
    private readonly lots: Lots,
    private readonly recalls: RecallQueries,
    private readonly storePrepared: StorePrepared,
  ) {}

  /** @throws DomainError 404 `lot_not_found`, 403 `process_out_of_scope`, 409 `not_recalled`, 422 `tx_would_revert` */
  @Span('prepare lift')
  async prepare(actor: Actor, tokenId: bigint, { reason, scope = 'lot', from }: LiftInput): Promise<PreparedLift> {
    const { found, calls, content } = await this.prepareCall.prepare(actor, {
      roles: PrepareLift.roles,
      from,
      examine: async (tx) => {
        const tokenIds = await this.examine(tx, actor, tokenId, scope);
        await requireLotScope(this.lots, tx, { actor, roles: PrepareLift.roles }, tokenIds);
        return tokenIds;
      },
      note: (tokenIds) => ({ call: { method: 'liftRecall', tokenIds: tokenIds.map(Number) }, metadata: { reason } }),
      calls: (tokenIds, { dataHash }) =>
        batches(tokenIds, MOST_LIFTED).map((batch) => ({ method: 'liftRecall', args: { tokenIds: batch, dataHash } })),
      record: (tx, _, stored) => this.storePrepared.store(tx, actor, from, stored!),
    });
    return { calls, content: content!, tokenIds: found };
  }

  private async examine(tx: TenantTx, actor: Actor, tokenId: bigint, scope: LiftScope): Promise<readonly bigint[]> {
    const [lot] = await this.lots.byTokenIds(tx, [tokenId]);
    if (!lot) throw lotNotFound(tokenId);
    await requireLotScope(this.lots, tx, { actor, roles: PrepareLift.roles }, [tokenId]);
    if (!lot.recalled) throw notRecalled(tokenId);
    if (scope === 'lot') return [tokenId];
    const together = await this.recalls.flaggedTogether(tx, tokenId);
    return together.length === 0 ? [tokenId] : together;
  }
}
