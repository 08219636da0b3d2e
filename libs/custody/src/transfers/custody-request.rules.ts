import { invalidContent, isChecksumAddress, type Problem, ZERO_ADDRESS } from '#kernel';
import type { PartQuantity } from '../part-quantity.rules.js';

export const CUSTODY_ACTIONS = ['offer', 'accept', 'reject', 'cancel'] as const;
export type CustodyAction = (typeof CUSTODY_ACTIONS)[number];
export const MAX_LOTS = 100;

/** Why a receiver takes less than was offered, as the contract numbers it (contracts/src/TenantLots.sol, `acceptParts`). */
export const SHORT_REASONS = { shortage: 1, damage: 2, refused: 3 } as const;
export type ShortReason = keyof typeof SHORT_REASONS;

interface NamedPart {
  readonly tokenId: number | string;
  /** All of the lot when absent. */
  readonly quantity?: PartQuantity | null;
}

/** The body of `POST /custody/prepare` (docs/spec/domain.md#custody). */
export interface CustodyInput {
  readonly action?: CustodyAction | null;
  readonly tokenIds?: readonly (number | string)[] | null;
  readonly tokenId?: number | string | null;
  /** Lots, or parts of them, instead of `tokenIds`. */
  readonly lots?: readonly NamedPart[] | null;
  /** Of an acceptance of less than was offered. */
  readonly reason?: ShortReason | null;
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
  /** How much of each lot, in the order of the lots; null = all of it. */
  readonly quantities: readonly (PartQuantity | null)[];
  readonly reason: ShortReason | null;
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
    ...partProblems(action, input),
    ...receiverProblems(action, input.to ?? undefined),
    ...eventProblems(action, input.processType ?? undefined),
  ];
  if (problems.length > 0) throw invalidContent(problems);
  const named = namedLots(input);
  return {
    action,
    tokenIds: named.map(({ tokenId }) => BigInt(tokenId)),
    quantities: named.map(({ quantity }) => quantity ?? null),
    reason: input.reason ?? null,
    to: input.to ?? null,
    processType: input.processType ?? null,
    metadata: input.metadata ?? {},
    pointerOf: (index) => named[index]!.pointer,
  };
}

type Named = NamedPart & { readonly pointer: string };

function namedLots({ tokenIds, tokenId, lots }: CustodyInput): readonly Named[] {
  if (lots) return lots.map((lot, i) => ({ ...lot, pointer: `/lots/${i}/tokenId` }));
  if (tokenIds) return tokenIds.map((id, i) => ({ tokenId: id, pointer: `/tokenIds/${i}` }));
  return isAbsent(tokenId) ? [] : [{ tokenId: tokenId!, pointer: '/tokenId' }];
}

/** Of a request that may name its lots in one of these only. */
const WAYS = ['tokenIds', 'tokenId', 'lots'] as const;

function lotProblems(input: CustodyInput): Problem[] {
  const [way, ...more] = WAYS.filter((one) => !isAbsent(input[one]));
  if (way === undefined) {
    const message = 'name the lots of the request: several in `tokenIds`, one in `tokenId`, or parts of lots in `lots`';
    return [{ pointer: '/tokenIds', code: 'token_ids_required', message }];
  }
  if (more.length > 0) {
    const message = `the lots are named in ${[way, ...more].map((one) => `\`${one}\``).join(' and ')}: keep one of them and leave out the others`;
    return more.map((one) => ({ pointer: `/${one}`, code: 'not_allowed', message }));
  }
  const seen = new Set<string>();
  return namedLots(input).flatMap(({ tokenId: id, pointer }) => {
    if (seen.has(String(id))) return [{ pointer, code: 'duplicate_token_id', message: `lot ${id} is listed twice` }];
    seen.add(String(id));
    return [];
  });
}

function partProblems(action: CustodyAction, { lots, reason }: CustodyInput): Problem[] {
  const takes = action === 'offer' || action === 'accept';
  const message = `to ${action} concerns lots whole: accept the rest of a lot to leave a part of it`;
  return [
    ...(lots ?? []).flatMap(({ quantity }, i) =>
      quantity && !takes ? [{ pointer: `/lots/${i}/quantity`, code: 'not_allowed', message }] : [],
    ),
    ...(!isAbsent(reason) && action !== 'accept'
      ? [{ pointer: '/reason', code: 'not_allowed', message: 'only who accepts less than was offered has a reason' }]
      : []),
  ];
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
