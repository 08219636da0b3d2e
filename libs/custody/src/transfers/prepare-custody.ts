import { ChainHead } from '#chain';
import { type Actor, Clock, DomainError, type Role, fromMicro, invalidContent } from '#kernel';
import type { TenantTx } from '#persistence';
import { type Attach, type ContractCall, type EventReference, PrepareCall, type Prepared, noteWith } from '#prepare';
import { EventPreparation, Lots } from '#traceability';
import { Span } from '#tracing';
import { Injectable } from '@nestjs/common';
import { noPartsInContract } from '../errors.js';
import { ALL } from '../part-quantity.rules.js';
import { type CustodyAction, type CustodyInput, type CustodyRequest, SHORT_REASONS, custodyRequest } from './custody-request.rules.js';
import { type CustodyLot, permit, type Permitted } from './custody.rules.js';
import { handOverIn, handOverProblems } from './hand-over.js';
import { saveHandOver } from './hand-overs.queries.js';

export interface ExaminedCustody extends Permitted {
  readonly request: CustodyRequest;
}

/** `POST /custody/prepare`: an unsigned offer, acceptance, rejection or cancellation, with or without an event. */
@Injectable()
export class PrepareCustody {
  /** Who may move lots of their own organisation (docs/spec/api.md#identity). */
  static readonly roles: readonly Role[] = ['OPERATOR', 'ADMIN', 'TENANT_ADMIN'];

  constructor(
    private readonly prepareCall: PrepareCall,
    private readonly lots: Lots,
    private readonly chainHead: ChainHead,
    private readonly events: EventPreparation,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws DomainError 403 outside the process scope, 404 `lot_not_found`, 409 `no_open_offer`, `input_not_final`,
   * 422 `invalid_content`, `no_parts_in_contract`, `tx_would_revert`
   */
  @Span('prepare custody')
  prepare(actor: Actor, input: CustodyInput): Promise<Prepared<ExaminedCustody>> {
    const { processType, from } = input;
    return this.prepareCall.prepare<ExaminedCustody>(actor, {
      roles: PrepareCustody.roles,
      processType,
      from,
      examine: (tx, sender) => this.examine(tx, actor, input, sender),
      note: ({ request: { action, tokenIds, to, reason, metadata }, quantities }) =>
        noteWith(
          { action, tokenIds: tokenIds.map(Number), to, ...(quantities && { quantities: quantities.map(decimalOf), reason }) },
          metadata,
        ),
      event: processType ? this.attachEvent(actor, processType) : null,
      record: async (tx, { request: { metadata } }, content) => {
        const handOver = content && !processType ? handOverIn(metadata) : null;
        if (handOver) await saveHandOver(tx, content!.dataHash, handOver);
      },
      calls: (found, reference) => [custodyCall(found, reference)],
      explain: (error, { request, quantities }) =>
        (quantities && contractWithoutParts(error)) ?? recalledLot(request, error) ?? pointingAtRequest(request, error),
    });
  }

  private async examine(tx: TenantTx, actor: Actor, input: CustodyInput, sender: string | null): Promise<ExaminedCustody> {
    const request = custodyRequest(input);
    const problems = request.processType === null ? handOverProblems(request.metadata, this.clock.now()) : [];
    if (problems.length > 0) throw invalidContent(problems);
    const lots = await this.lotsInHand(tx, request.tokenIds);
    const { final } = await this.chainHead.position(tx);
    return { request, ...permit(request, lots, sender === null ? null : actor.wallets, final) };
  }

  private async lotsInHand(tx: TenantTx, tokenIds: readonly bigint[]): Promise<CustodyLot[]> {
    const known = await this.lots.byTokenIds(tx, tokenIds);
    const containers = known.filter(({ isContainer }) => isContainer).map(({ tokenId }) => tokenId);
    const held = await this.lots.heldWithin(tx, containers);
    return known.map((lot) => ({ ...lot, heldInside: held.get(lot.tokenId) ?? null }));
  }

  private attachEvent(actor: Actor, processType: string): Attach<ExaminedCustody> {
    return ({ request }, sender, call) => {
      const { tokenIds: inputTokenIds, metadata } = request;
      return this.events.prepareAttached(
        actor,
        { processType, inputTokenIds, outputTlc: null, outputCustodian: null, metadata, from: sender },
        call,
      );
    };
  }
}

const METHODS: Readonly<Record<CustodyAction, string>> = {
  offer: 'offerCustody',
  accept: 'acceptCustody',
  reject: 'rejectCustody',
  cancel: 'cancelCustody',
};

/** In a note: millionths as decimals of the lot's unit, null = all of it. */
const decimalOf = (quantity: bigint): string | null => (quantity === ALL ? null : fromMicro(quantity));

function custodyCall({ request, offerNo, quantities }: ExaminedCustody, event: EventReference): ContractCall {
  const method = METHODS[request.action];
  const { tokenIds } = request; // in the order of the request: an attached event commits to it
  if (quantities && request.action === 'offer') return { method: 'offerParts', args: { tokenIds, quantities, to: request.to, e: event } };
  if (quantities && request.action === 'accept') {
    const reason_ = SHORT_REASONS[request.reason!];
    return { method: 'acceptParts', args: { no: offerNo, tokenIds, quantities, reason_, e: event } };
  }
  if (request.action === 'offer') return { method, args: { tokenIds, to: request.to, e: event } };
  if (request.action === 'accept') return { method, args: { no: offerNo, tokenIds, e: event } };
  return { method, args: { no: offerNo, tokenIds, dataHash: event.dataHash } };
}

/** A contract from before lots had parts does not know the call, and says nothing when it refuses it. */
function contractWithoutParts(error: DomainError): DomainError | null {
  const { revert } = error.details as { readonly revert?: object | null };
  return error.code === 'tx_would_revert' && revert === null ? noPartsInContract() : null;
}

/** Only the contract knows who takes returns; its refusal is reported in the words of the request. */
function recalledLot(request: CustodyRequest, error: DomainError): DomainError | null {
  const { revert } = error.details as { readonly revert?: { readonly name: string; readonly args: Readonly<Record<string, unknown>> } };
  if (revert?.name !== 'LotIsRecalled') return null;
  const index = request.tokenIds.indexOf(BigInt(String(revert.args['tokenId'])));
  const message = `lot ${String(revert.args['tokenId'])} is recalled: it may only go to a wallet that takes returns`;
  return invalidContent([{ pointer: index < 0 ? '/tokenIds' : request.pointerOf(index), code: 'lot_recalled', message }]);
}

/** An event names its lots in `inputTokenIds`; this request named them elsewhere. */
function pointingAtRequest(request: CustodyRequest, error: DomainError): DomainError {
  if (!error.details.errors) return error;
  const errors = error.details.errors.map((problem) => ({
    ...problem,
    pointer: problem.pointer.replace(/^\/inputTokenIds\/(\d+)/, (_, index: string) => request.pointerOf(Number(index))),
  }));
  return new DomainError(error.code, error.status, error.message, { ...error.details, errors });
}
