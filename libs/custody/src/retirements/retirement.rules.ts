import { type Problem, invalidContent } from '#kernel';
import { lotsNotFinal, lotsNotFound } from '../errors.js';
import { ALL, type PartQuantity, partOf } from '../part-quantity.rules.js';

/**
 * Why a lot leaves the chain of custody, as the contract numbers it (contracts/src/TenantLots.sol, `retire`). A lot is `voided` by
 * voiding its event and a container `unpacked` by breaking it up: neither can be requested.
 */
export const RETIRE_REASONS = { sold: 1, disposed: 2, destroyed: 3, lost: 4, sampled: 5, exported: 7, migrated: 9 } as const;
export type RetireReason = keyof typeof RETIRE_REASONS;

/** The only reasons for a recalled lot: it must not reach anyone (docs/spec/api.md#lots-custody-recall). */
const WITHOUT_RECEIVER: readonly RetireReason[] = ['disposed', 'destroyed', 'lost', 'sampled'];

/** The body of `POST /nfts/{tokenId}/retire/prepare`. */
export interface RetirementInput {
  readonly reason: RetireReason;
  /** A part of the lot; all that remains when absent. */
  readonly quantity?: PartQuantity | null;
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
  const quantity = input.quantity ? partOf(lot, input.quantity, '/quantity') : ALL;
  if (typeof quantity !== 'bigint') throw invalidContent([quantity]);
  return quantity;
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
