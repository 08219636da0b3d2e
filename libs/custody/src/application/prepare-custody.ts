import { type PreparedCall, TransactionPreparer } from '#chain';
import { Tenants, requireProcess, senderOf } from '#identity';
import { type Actor, DomainError, invalidContent, type Role, type Hex } from '#kernel';
import { CallNotes, EventPreparation } from '#traceability';
import { Step } from '#tracing';
import { Injectable } from '@nestjs/common';
import { type CustodyCall, custodyCall, noEvent } from '../domain/custody-call.js';
import { type CustodyInput, type CustodyOrder, custodyOrder } from '../domain/custody-order.js';
import type { Permitted } from '../domain/custody-rules.js';
import { CheckCustody } from './check-custody.js';

/** Who may move lots of its own organisation (api-decisions §2). */
export const CUSTODY_ROLES: readonly Role[] = ['OPERATOR', 'ADMIN', 'TENANT_ADMIN'];

export interface PreparedCustody extends PreparedCall {
  readonly order: CustodyOrder;
  readonly call: CustodyCall;
  readonly offerNo: bigint | null;
  readonly eventId: string | null;
  readonly ipfsCid: string | null;
}

/** What is known when the lots allow the order. */
interface Draft {
  readonly actor: Actor;
  readonly order: CustodyOrder;
  readonly permitted: Permitted;
  readonly contract: string;
  readonly from: string | null;
}

/** `POST /custody/prepare`: an unsigned offer, acceptance, rejection or cancellation, with or without an event. */
@Injectable()
export class PrepareCustody {
  constructor(
    private readonly checks: CheckCustody,
    private readonly notes: CallNotes,
    private readonly events: EventPreparation,
    private readonly transactions: TransactionPreparer,
    private readonly tenants: Tenants,
  ) {}

  /**
   * @throws DomainError 403 outside the process scope, 404 `lot_not_found`, 409 `no_open_offer`, `input_not_final`,
   * 422 `invalid_content`, `tx_would_revert`
   */
  @Step('prepare custody')
  async prepare(actor: Actor, input: CustodyInput): Promise<PreparedCustody> {
    if (input.processType) requireProcess(actor, input.processType, CUSTODY_ROLES);
    const order = custodyOrder(input);
    const from = senderOf(actor, input.from);
    const permitted = await this.checks.check(actor, order, from);
    const draft = { actor, order, permitted, from, contract: await this.tenants.contractOf(actor.tenantId) };
    return order.processType === null ? this.plain(draft) : this.withEvent(draft, order.processType);
  }

  private async plain(draft: Draft): Promise<PreparedCustody> {
    const note = await this.storeNote(draft);
    const call = custodyCall(draft.order, draft.permitted.offerNo, noEvent(note?.dataHash));
    return answer(draft, call, await this.ask(draft, call), { eventId: null, ipfsCid: note?.ipfsCid ?? null });
  }

  /** Null when there is nothing to store. */
  private async storeNote({ actor, order, contract, from }: Draft): Promise<{ readonly ipfsCid: string; readonly dataHash: Hex } | null> {
    const { action, tokenIds, to, metadata } = order;
    if (Object.keys(metadata).length === 0) return null;
    return this.notes.store(actor, { contract, from, call: { action, tokenIds: tokenIds.map(Number), to }, metadata });
  }

  private async withEvent(draft: Draft, processType: string): Promise<PreparedCustody> {
    const { actor, order, permitted, from } = draft;
    let call = custodyCall(order, permitted.offerNo, noEvent());
    const submission = {
      processType,
      inputTokenIds: order.tokenIds,
      outputTlc: null,
      outputCustodian: null,
      metadata: order.metadata,
      from,
    };
    const event = await this.events
      .prepareRiding(actor, submission, (reference) => this.ask(draft, (call = custodyCall(order, permitted.offerNo, reference))))
      .catch((error: unknown) => {
        throw pointingAtOrder(order, error);
      });
    return answer(draft, call, event, event);
  }

  private async ask({ contract, from, order }: Draft, call: CustodyCall): Promise<PreparedCall> {
    try {
      return await this.transactions.prepare({ contract, from, method: call.method, args: Object.values(call.args) });
    } catch (error) {
      throw recalledLot(order, error) ?? error;
    }
  }
}

const answer = (
  { order, permitted }: Draft,
  call: CustodyCall,
  { preparedTx, hints, warnings }: PreparedCall,
  { eventId, ipfsCid }: { readonly eventId: string | null; readonly ipfsCid: string | null },
): PreparedCustody => ({
  preparedTx,
  hints,
  warnings: [...permitted.warnings, ...warnings],
  order,
  call,
  offerNo: permitted.offerNo,
  eventId,
  ipfsCid,
});

/** Only the contract knows who takes returns; its refusal is told in the words of the request. */
function recalledLot(order: CustodyOrder, error: unknown): DomainError | null {
  if (!(error instanceof DomainError)) return null;
  const { revert } = error.details as { readonly revert?: { readonly name: string; readonly args: Readonly<Record<string, unknown>> } };
  if (revert?.name !== 'LotIsRecalled') return null;
  const index = order.tokenIds.indexOf(BigInt(String(revert.args['tokenId'])));
  const message = `lot ${String(revert.args['tokenId'])} is recalled: it may only go to a wallet that takes returns`;
  return invalidContent([{ pointer: index < 0 ? '/tokenIds' : order.pointerOf(index), code: 'lot_recalled', message }]);
}

/** An event names its lots in `inputTokenIds`; this request named them elsewhere. */
function pointingAtOrder(order: CustodyOrder, error: unknown): unknown {
  if (!(error instanceof DomainError) || !error.details.errors) return error;
  const errors = error.details.errors.map((problem) => ({
    ...problem,
    pointer: problem.pointer.replace(/^\/inputTokenIds\/(\d+)/, (_, index: string) => order.pointerOf(Number(index))),
  }));
  return new DomainError(error.code, error.status, error.message, { ...error.details, errors });
}
