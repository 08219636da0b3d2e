import { type Problem, fromMicro, invalidContent, toMicro, unitFactor } from '#kernel';
import { Decimal } from 'decimal.js';
import { lotsNotFinal, lotsNotFound } from '../errors.js';

/**
 * Why a lot leaves the chain of custody, as the contract numbers it (contracts/src/TenantLots.sol, `retire`). A lot is `voided` by
 * voiding its event and a container `unpacked` by breaking it up: neither can be requested.
 */
export const RETIRE_REASONS = { sold: 1, disposed: 2, destroyed: 3, lost: 4, sampled: 5, exported: 7, migrated: 9 } as const;
export type RetireReason = keyof typeof RETIRE_REASONS;

/** The only reasons for a recalled lot: it must not reach anyone (docs/spec/api.md#lots-custody-recall). */
const WITHOUT_RECEIVER: readonly RetireReason[] = ['disposed', 'destroyed', 'lost', 'sampled'];

/** "All that remains" on chain. */
export const ALL = (1n << 256n) - 1n;

/** The body of `POST /nfts/{tokenId}/retire/prepare`. */
export interface RetirementInput {
  readonly reason: RetireReason;
  /** A part of the lot; all that remains when absent. */
  readonly quantity?: { readonly value: number | string; readonly uom: string } | null;
  readonly metadata?: Readonly<Record<string, unknown>> | null;
  readonly from?: string | null;
}

/** What retiring needs to know about a lot: part of traceability's `LotFacts`. */
interface LotToRetire {
  readonly tokenId: bigint;
  readonly status: string;
  readonly custodian: string;
  readonly pendingCustodian: string | null;
  readonly containerTokenId: bigint | null;
  readonly isContainer: boolean;
  readonly recalled: boolean;
  readonly holdsRecalled: boolean;
  readonly mintBlock: number;
  readonly remaining: bigint | null;
  readonly uom: string | null;
}

/**
 * @returns millionths of the lot's own unit, or ALL
 * @throws DomainError 404 `lot_not_found`, 409 `input_not_final`, 422 `invalid_content`. Only the contract knows who may retire
 * a lot of another custodian (approvals): the gas estimate checks it.
 */
export function permitRetirement(
  input: RetirementInput,
  tokenId: bigint,
  lot: LotToRetire | null,
  { finalBlock, mayRetire }: { readonly finalBlock: number; readonly mayRetire: boolean },
): bigint {
  if (!lot) throw lotsNotFound([tokenId]);
  if (lot.mintBlock > finalBlock) throw lotsNotFinal([tokenId]);
  const problems = mayRetire ? stateProblem(lot, input.reason) : [notHolder(lot)];
  if (problems.length > 0) throw invalidContent(problems);
  return input.quantity ? part(lot, input.quantity) : ALL;
}

const notHolder = ({ tokenId }: LotToRetire): Problem => ({
  pointer: '/tokenId',
  code: 'not_custodian',
  message: `lot ${tokenId} is held by another organisation`,
});

/** The first that holds, in the order of docs/spec/domain.md#lot-status. */
function stateProblem(lot: LotToRetire, reason: RetireReason): Problem[] {
  const problem = (code: string, why: string, pointer = '/tokenId'): Problem[] => [{ pointer, code, message: `lot ${lot.tokenId} ${why}` }];
  if (lot.status === 'retired') return problem('lot_retired', 'is retired already');
  if (lot.status === 'consumed' || lot.remaining === 0n) return problem('lot_consumed', 'is used up');
  if (lot.containerTokenId !== null)
    return problem('lot_contained', `is inside lot ${lot.containerTokenId}: retire the container, or break it up first`);
  if (lot.pendingCustodian !== null) return problem('lot_in_transit', 'waits for acceptance: end its offer first');
  if ((lot.recalled || lot.holdsRecalled) && !WITHOUT_RECEIVER.includes(reason))
    return problem('lot_recalled', `is recalled or holds a recalled lot: it leaves as ${WITHOUT_RECEIVER.join(', ')} only`, '/reason');
  return [];
}

function part(lot: LotToRetire, { value, uom }: NonNullable<RetirementInput['quantity']>): bigint {
  const refuse = (code: string, message: string, pointer = '/quantity'): never => {
    throw invalidContent([{ pointer, code, message }]);
  };
  if (lot.isContainer || lot.remaining === null || lot.uom === null)
    return refuse('whole_only', `lot ${lot.tokenId} has no quantity: it can only be retired whole, without one`);
  const factor = unitFactor(uom, lot.uom);
  if (factor === null)
    return refuse('unit_not_convertible', `${uom} does not convert to ${lot.uom}, the unit of lot ${lot.tokenId}`, '/quantity/uom');
  const stated = toMicro(value);
  if (stated === null)
    return refuse('quantity_out_of_range', 'must be positive, with at most six decimals and below 2^53 millionths', '/quantity/value');
  const micro = BigInt(new Decimal(stated.toString()).times(factor).toFixed(0, Decimal.ROUND_HALF_EVEN));
  if (micro > lot.remaining)
    return refuse('over_consumption', `lot ${lot.tokenId} has ${fromMicro(lot.remaining)} ${lot.uom} left`, '/quantity/value');
  return micro > 0n ? micro : refuse('quantity_out_of_range', 'is less than a millionth of the lot’s unit', '/quantity/value');
}
