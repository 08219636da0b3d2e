import { invalidContent, type Problem } from '#kernel';
import { lotsNotFinal, lotsNotFound, noOpenOffer } from '../errors.js';
import { ALL, partOf } from '../part-quantity.rules.js';
import type { CustodyRequest } from './custody-request.rules.js';

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
  readonly isContainer: boolean;
  readonly remaining: bigint | null;
  readonly uom: string | null;
  readonly mintBlock: number;
}

export interface Permitted {
  /** The lots in the order of the request. */
  readonly lots: readonly CustodyLot[];
  /** The one offer that an answer is about; null for an offer. */
  readonly offerNo: bigint | null;
  /** Of each lot millionths of its unit, or ALL; null where every lot is meant whole, which every version of the contract can do. */
  readonly quantities: readonly bigint[] | null;
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
  return {
    lots,
    offerNo: null,
    quantities: quantitiesOf(request, lots),
    warnings: lots.flatMap((lot, i) => offerWarnings(lot, request.pointerOf(i))),
  };
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
  const quantities = quantitiesOf(request, lots);
  const wrongReason = reasonProblem(request, quantities !== null);
  if (wrongReason) throw invalidContent([wrongReason]);
  return { lots, offerNo, quantities, warnings: [] };
}

/** @throws DomainError 422 `invalid_content`: not a part of its lot, or a lot that goes whole because it is recalled */
function quantitiesOf(request: CustodyRequest, lots: readonly CustodyLot[]): readonly bigint[] | null {
  const found = lots.map((lot, i) => quantityOf(lot, request, i));
  const problems = found.filter((one) => typeof one !== 'bigint');
  if (problems.length > 0) throw invalidContent(problems);
  const quantities = found.filter((one) => typeof one === 'bigint');
  return quantities.every((quantity) => quantity === ALL) ? null : quantities;
}

function quantityOf(lot: CustodyLot, { quantities, pointerOf }: CustodyRequest, index: number): bigint | Problem {
  const stated = quantities[index] ?? null;
  if (stated === null) return ALL;
  const pointer = pointerOf(index).replace(/tokenId$/, 'quantity');
  const quantity = partOf(lot, stated, pointer);
  if (typeof quantity !== 'bigint') return quantity;
  if (quantity === lot.remaining) return ALL;
  if (lot.recalled)
    return { pointer, code: 'lot_recalled', message: `lot ${lot.tokenId} is recalled: it goes back whole, without a quantity` };
  return quantity;
}

/** Who takes less than was offered says why. */
function reasonProblem({ reason, tokenIds, quantities }: CustodyRequest, takesLess: boolean): Problem | null {
  if (takesLess && reason === null) {
    const short = quantities.flatMap((quantity, i) => (quantity === null ? [] : [tokenIds[i]]));
    return {
      pointer: '/reason',
      code: 'required',
      message: `less of lot ${short.join(', ')} is accepted than was offered: shortage, damage or refused`,
    };
  }
  if (!takesLess && reason !== null)
    return { pointer: '/reason', code: 'not_allowed', message: 'everything that was offered is accepted: there is nothing to explain' };
  return null;
}
