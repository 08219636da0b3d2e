import { ChainHead, type PreparedCall, TransactionPreparer } from '#chain';
import { Tenants, senderOf } from '#identity';
import type { Actor, Role } from '#kernel';
import { UnitOfWork } from '#persistence';
import { CallNotes, Lots } from '#traceability';
import { Step } from '#tracing';
import { Injectable } from '@nestjs/common';
import { noEvent } from '../domain/custody-call.js';
import { RETIRE_REASONS, type RetirementInput, permitRetirement } from '../domain/retirement.js';

/** Who may take lots out of the chain of custody (api-decisions §2). */
export const RETIRE_ROLES: readonly Role[] = ['COMPLIANCE', 'TENANT_ADMIN'];

export interface PreparedRetirement extends PreparedCall {
  readonly args: Readonly<Record<string, unknown>>;
  readonly ipfsCid: string | null;
}

/** `POST /nfts/{tokenId}/retire/prepare`: an unsigned retirement of a lot or a part of it, without an event. */
@Injectable()
export class PrepareRetirement {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly lots: Lots,
    private readonly chainHead: ChainHead,
    private readonly notes: CallNotes,
    private readonly transactions: TransactionPreparer,
    private readonly tenants: Tenants,
  ) {}

  /** @throws DomainError as `permitRetirement` does, 403 `foreign_sender`, 422 `tx_would_revert` */
  @Step('prepare retirement')
  async prepare(actor: Actor, tokenId: bigint, input: RetirementInput): Promise<PreparedRetirement> {
    const from = senderOf(actor, input.from);
    const quantity = await this.unitOfWork.inTransaction(actor, async (tx) => {
      const [lot] = await this.lots.byTokenIds(tx, [tokenId]);
      return permitRetirement(input, tokenId, lot ?? null, (await this.chainHead.position(tx)).final);
    });
    const contract = await this.tenants.contractOf(actor.tenantId);
    const { reason, metadata } = input;
    const note =
      metadata && Object.keys(metadata).length > 0
        ? await this.notes.store(actor, { contract, from, call: { retire: Number(tokenId), reason }, metadata })
        : null;
    const args = { tokenIds: [tokenId], quantities: [quantity], reason: RETIRE_REASONS[reason], e: noEvent(note?.dataHash) };
    const call = await this.transactions.prepare({ contract, from, method: 'retire', args: Object.values(args) });
    return { ...call, args, ipfsCid: note?.ipfsCid ?? null };
  }
}
