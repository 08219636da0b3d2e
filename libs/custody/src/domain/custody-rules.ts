import { invalidContent, type Problem } from '#kernel';
import type { CustodyOrder } from './custody-order.js';
import { lotsNotFinal, lotsNotFound, noOpenOffer } from './errors.js';

/** What custody has to know of a lot: a part of traceability's `LotFacts`, and what is on hold inside. */
export interface LotInHand {
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
  readonly lots: readonly LotInHand[];
  /** The one offer that an answer is about; null for an offer. */
  readonly offerNo: bigint | null;
  readonly warnings: readonly string[];
}

/**
 * Whether the order fits the lots as they are. Who may act: the custodian offers and cancels, the pending custodian accepts
 * and rejects; `wallets` are those the caller may act for, null = nobody is known, then only the chain can say.
 * A lot on hold, or a container of one, is neither offered nor accepted; its offer may be rejected and cancelled.
 * Recalled lots pass: they may go to a wallet with the RETURNS role, which the gas estimate knows (api-decisions §4).
 * @throws DomainError 404 `lot_not_found`, 409 `input_not_final`, 409 `no_open_offer`, 422 `invalid_content`
 */
export function permit(order: CustodyOrder, known: readonly LotInHand[], wallets: readonly string[] | null, finalBlock: number): Permitted {
  const lots = inOrder(order, known);
  const unfinal = lots.filter((lot) => lot.mintBlock > finalBlock);
  if (unfinal.length > 0) throw lotsNotFinal(unfinal.map((lot) => lot.tokenId));
  const holds = (address: string): boolean => wallets === null || wallets.includes(address);
  return order.action === 'offer' ? permitOffer(order, lots, holds) : permitAnswer(order, lots, holds);
}

function inOrder(order: CustodyOrder, known: readonly LotInHand[]): LotInHand[] {
  const byId = new Map(known.map((lot) => [lot.tokenId, lot]));
  const missing = order.tokenIds.filter((id) => !byId.has(id));
  if (missing.length > 0) throw lotsNotFound(missing);
  return order.tokenIds.map((id) => byId.get(id)!);
}

function permitOffer(order: CustodyOrder, lots: readonly LotInHand[], holds: (address: string) => boolean): Permitted {
  const problems = lots.flatMap((lot, i) => offerProblem(lot, order, holds, order.pointerOf(i)));
  const custodian = lots[0]!.custodian;
  const stranger = lots.findIndex((lot) => lot.custodian !== custodian);
  if (problems.length === 0 && stranger > 0)
    problems.push({ pointer: order.pointerOf(stranger), code: 'mixed_custody', message: 'the lots of one offer have one custodian' });
  if (problems.length > 0) throw invalidContent(problems);
  return { lots, offerNo: null, warnings: lots.flatMap((lot, i) => offerWarnings(lot, order.pointerOf(i))) };
}

/** The first that holds, in the order of domain-decisions §2.1. */
function offerProblem(lot: LotInHand, order: CustodyOrder, holds: (address: string) => boolean, pointer: string): Problem[] {
  const problem = (code: string, why: string): Problem[] => [{ pointer, code, message: `lot ${lot.tokenId} ${why}` }];
  if (lot.status === 'retired') return problem('lot_retired', 'is retired');
  if (lot.status === 'consumed' || lot.remaining === 0n) return problem('lot_consumed', 'is used up');
  if (lot.containerTokenId !== null)
    return problem('lot_contained', `is inside lot ${lot.containerTokenId}: offer that, or break it up first`);
  if (!holds(lot.custodian)) return problem('not_custodian', 'is in the custody of somebody else');
  if (lot.pendingCustodian !== null) return problem('lot_in_transit', 'is offered already: it waits for acceptance');
  if (isHeld(lot)) return [heldProblem(lot, pointer)];
  if (lot.custodian === order.to)
    return [{ pointer: '/to', code: 'own_wallet', message: `lot ${lot.tokenId} is with this custodian already` }];
  return [];
}

const isHeld = (lot: LotInHand): boolean => lot.onHold || lot.heldInside !== null;

const heldProblem = ({ tokenId, onHold, heldInside }: LotInHand, pointer: string): Problem => ({
  pointer,
  code: 'lot_on_hold',
  message: onHold ? `lot ${tokenId} is on hold` : `lot ${tokenId} holds lot ${heldInside}, which is on hold`,
});

function offerWarnings(lot: LotInHand, pointer: string): string[] {
  if (lot.recalled || lot.holdsRecalled)
    return [`${pointer}: lot ${lot.tokenId} is recalled or holds a recalled lot; only a wallet that takes returns may receive it.`];
  return lot.status === 'expired' ? [`${pointer}: lot ${lot.tokenId} is past its expiry date.`] : [];
}

function permitAnswer(order: CustodyOrder, lots: readonly LotInHand[], holds: (address: string) => boolean): Permitted {
  const idle = lots.filter((lot) => lot.pendingCustodian === null || lot.offerNo === null);
  if (idle.length > 0) throw noOpenOffer(idle.map((lot) => lot.tokenId));
  const { offerNo } = lots[0]!;
  const problems = lots.flatMap((lot, i): Problem[] => {
    const pointer = order.pointerOf(i);
    if (lot.offerNo !== offerNo)
      return [
        {
          pointer,
          code: 'several_offers',
          message: `lot ${lot.tokenId} is in offer ${lot.offerNo}, lot ${lots[0]!.tokenId} in ${offerNo}`,
        },
      ];
    if (order.action === 'cancel')
      return holds(lot.custodian) ? [] : [{ pointer, code: 'not_custodian', message: `lot ${lot.tokenId} was offered by somebody else` }];
    if (!holds(lot.pendingCustodian!))
      return [{ pointer, code: 'not_pending_custodian', message: `lot ${lot.tokenId} was offered to somebody else` }];
    return order.action === 'accept' && isHeld(lot) ? [heldProblem(lot, pointer)] : [];
  });
  if (problems.length > 0) throw invalidContent(problems);
  return { lots, offerNo, warnings: [] };
}
