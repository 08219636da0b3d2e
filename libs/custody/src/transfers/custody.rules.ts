import { invalidContent, isChecksumAddress, type Problem, ZERO_ADDRESS } from '#kernel';
import { lotsNotFinal, lotsNotFound, noOpenOffer } from '../errors.js';

export const CUSTODY_ACTIONS = ['offer', 'accept', 'reject', 'cancel'] as const;
export type CustodyAction = (typeof CUSTODY_ACTIONS)[number];
export const MAX_LOTS = 100;

/** The body of `POST /custody/prepare` (docs/spec/domain.md#custody). */
export interface CustodyInput {
  readonly action?: CustodyAction | null;
  readonly tokenIds?: readonly (number | string)[] | null;
  readonly tokenId?: number | string | null;
  /** EIP-55, offers only. */
  readonly to?: string | null;
  /** A process of kind `transfer`: records the shipping or receiving event in the same transaction. */
  readonly processType?: string | null;
  readonly metadata?: Readonly<Record<string, unknown>> | null;
  /** EIP-55 sender. */
  readonly from?: string | null;
}

/** The request with its defaults filled in. */
export interface CustodyRequest {
  readonly action: CustodyAction;
  readonly tokenIds: readonly bigint[];
  readonly to: string | null;
  readonly processType: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Where in the body lot `index` was named. */
  readonly pointerOf: (index: number) => string;
}

/** @throws DomainError 422 `invalid_content` with everything that is wrong with the request itself, before the lots are read */
export function custodyRequest(input: CustodyInput): CustodyRequest {
  const action = input.action ?? 'offer';
  const problems = [
    ...lotProblems(input),
    ...receiverProblems(action, input.to ?? undefined),
    ...eventProblems(action, input.processType ?? undefined),
  ];
  if (problems.length > 0) throw invalidContent(problems);
  return {
    action,
    tokenIds: (input.tokenIds ?? [input.tokenId!]).map(BigInt),
    to: input.to ?? null,
    processType: input.processType ?? null,
    metadata: input.metadata ?? {},
    pointerOf: (index) => (input.tokenIds ? `/tokenIds/${index}` : '/tokenId'),
  };
}

function lotProblems({ tokenIds, tokenId }: CustodyInput): Problem[] {
  if (isAbsent(tokenIds) === isAbsent(tokenId))
    return [{ pointer: '/tokenIds', code: 'token_ids_required', message: 'name the lots in tokenIds, or one lot in tokenId' }];
  const seen = new Set<string>();
  return (tokenIds ?? []).flatMap((id, i) => {
    if (seen.has(String(id))) return [{ pointer: `/tokenIds/${i}`, code: 'duplicate_token_id', message: `lot ${id} is listed twice` }];
    seen.add(String(id));
    return [];
  });
}

function receiverProblems(action: CustodyAction, to: string | undefined): Problem[] {
  const problem = (code: string, message: string): Problem[] => [{ pointer: '/to', code, message }];
  if (action !== 'offer') return to === undefined ? [] : problem('not_allowed', `an ${action} names no receiver: the offer did`);
  if (to === undefined) return problem('required', 'an offer names its receiver');
  if (!/^0x[0-9a-fA-F]{40}$/.test(to)) return problem('invalid_address', 'must be an EIP-55 address');
  if (to === ZERO_ADDRESS) return problem('zero_address', 'the zero address cannot hold lots');
  return isChecksumAddress(to) ? [] : problem('wrong_checksum', 'must carry its EIP-55 checksum');
}

function eventProblems(action: CustodyAction, processType: string | undefined): Problem[] {
  if (processType === undefined || action === 'offer' || action === 'accept') return [];
  return [{ pointer: '/processType', code: 'event_not_possible', message: 'only an offer or an acceptance can record an event' }];
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

/** What custody needs to know about a lot: part of traceability's `LotFacts`, and what is on hold inside. */
export interface CustodyLot {
  readonly tokenId: bigint;
  readonly status: string;
  readonly custodian: string;
  readonly pendingCustodian: string | null;
  readonly offerNo: bigint | null;
  readonly containerTokenId: bigint | null;
  readonly recalled: boolean;
  readonly holdsRecalled: boolean;
  readonly onHold: boolean;
  /** Of a container: a lot inside, at any depth, that is on hold. */
  readonly heldInside: bigint | null;
  readonly remaining: bigint | null;
  readonly mintBlock: number;
}

export interface Permitted {
  /** The lots in the order of the request. */
  readonly lots: readonly CustodyLot[];
  /** The one offer that an answer is about; null for an offer. */
  readonly offerNo: bigint | null;
  readonly warnings: readonly string[];
}

/**
 * Whether the request fits the lots as they are. Who may act: the custodian offers and cancels, the pending custodian accepts
 * and rejects; `wallets` are those the caller may act for, null = no sender is known, then only the chain can check.
 * A lot on hold, or a container of one, is neither offered nor accepted; its offer may be rejected and cancelled.
 * Recalled lots pass: they may go to a wallet with the RETURNS role, which the gas estimate knows (docs/spec/api.md#lots-custody-recall).
 * @throws DomainError 404 `lot_not_found`, 409 `input_not_final`, 409 `no_open_offer`, 422 `invalid_content`
 */
export function permit(
  request: CustodyRequest,
  known: readonly CustodyLot[],
  wallets: readonly string[] | null,
  finalBlock: number,
): Permitted {
  const lots = inOrder(request, known);
  const unfinal = lots.filter((lot) => lot.mintBlock > finalBlock);
  if (unfinal.length > 0) throw lotsNotFinal(unfinal.map((lot) => lot.tokenId));
  const holds = (address: string): boolean => wallets === null || wallets.includes(address);
  return request.action === 'offer' ? permitOffer(request, lots, holds) : permitAnswer(request, lots, holds);
}

function inOrder(request: CustodyRequest, known: readonly CustodyLot[]): CustodyLot[] {
  const byId = new Map(known.map((lot) => [lot.tokenId, lot]));
  const missing = request.tokenIds.filter((id) => !byId.has(id));
  if (missing.length > 0) throw lotsNotFound(missing);
  return request.tokenIds.map((id) => byId.get(id)!);
}

function permitOffer(request: CustodyRequest, lots: readonly CustodyLot[], holds: (address: string) => boolean): Permitted {
  const problems = lots.flatMap((lot, i) => offerProblem(lot, request, holds, request.pointerOf(i)));
  const custodian = lots[0]!.custodian;
  const other = lots.findIndex((lot) => lot.custodian !== custodian);
  if (problems.length === 0 && other > 0)
    problems.push({ pointer: request.pointerOf(other), code: 'mixed_custody', message: 'the lots of one offer have one custodian' });
  if (problems.length > 0) throw invalidContent(problems);
  return { lots, offerNo: null, warnings: lots.flatMap((lot, i) => offerWarnings(lot, request.pointerOf(i))) };
}

/** The first that holds, in the order of docs/spec/domain.md#lot-status. */
function offerProblem(lot: CustodyLot, request: CustodyRequest, holds: (address: string) => boolean, pointer: string): Problem[] {
  const problem = (code: string, why: string): Problem[] => [{ pointer, code, message: `lot ${lot.tokenId} ${why}` }];
  if (lot.status === 'retired') return problem('lot_retired', 'is retired');
  if (lot.status === 'consumed' || lot.remaining === 0n) return problem('lot_consumed', 'is used up');
  if (lot.containerTokenId !== null)
    return problem('lot_contained', `is inside lot ${lot.containerTokenId}: offer that, or break it up first`);
  if (!holds(lot.custodian)) return problem('not_custodian', 'is held by another custodian');
  if (lot.pendingCustodian !== null) return problem('lot_in_transit', 'is already offered and waits for acceptance');
  if (isHeld(lot)) return [heldProblem(lot, pointer)];
  if (lot.custodian === request.to)
    return [{ pointer: '/to', code: 'own_wallet', message: `lot ${lot.tokenId} already belongs to this custodian` }];
  return [];
}

const isHeld = (lot: CustodyLot): boolean => lot.onHold || lot.heldInside !== null;

const heldProblem = ({ tokenId, onHold, heldInside }: CustodyLot, pointer: string): Problem => ({
  pointer,
  code: 'lot_on_hold',
  message: onHold ? `lot ${tokenId} is on hold` : `lot ${tokenId} holds lot ${heldInside}, which is on hold`,
});

function offerWarnings(lot: CustodyLot, pointer: string): string[] {
  if (lot.recalled || lot.holdsRecalled)
    return [`${pointer}: lot ${lot.tokenId} is recalled or holds a recalled lot; only a wallet that takes returns may receive it.`];
  return lot.status === 'expired' ? [`${pointer}: lot ${lot.tokenId} is past its expiry date.`] : [];
}

function permitAnswer(request: CustodyRequest, lots: readonly CustodyLot[], holds: (address: string) => boolean): Permitted {
  const notOffered = lots.filter((lot) => lot.pendingCustodian === null || lot.offerNo === null);
  if (notOffered.length > 0) throw noOpenOffer(notOffered.map((lot) => lot.tokenId));
  const { offerNo } = lots[0]!;
  const problems = lots.flatMap((lot, i): Problem[] => {
    const pointer = request.pointerOf(i);
    if (lot.offerNo !== offerNo)
      return [
        {
          pointer,
          code: 'several_offers',
          message: `lot ${lot.tokenId} is in offer ${lot.offerNo}, lot ${lots[0]!.tokenId} in ${offerNo}`,
        },
      ];
    if (request.action === 'cancel')
      return holds(lot.custodian)
        ? []
        : [{ pointer, code: 'not_custodian', message: `lot ${lot.tokenId} was offered by another custodian` }];
    if (!holds(lot.pendingCustodian!))
      return [{ pointer, code: 'not_pending_custodian', message: `lot ${lot.tokenId} was offered to another custodian` }];
    return request.action === 'accept' && isHeld(lot) ? [heldProblem(lot, pointer)] : [];
  });
  if (problems.length > 0) throw invalidContent(problems);
  return { lots, offerNo, warnings: [] };
}
