import { ZERO_ADDRESS, invalidContent, isChecksumAddress, type Problem } from '#kernel';

export const CUSTODY_ACTIONS = ['offer', 'accept', 'reject', 'cancel'] as const;
export type CustodyAction = (typeof CUSTODY_ACTIONS)[number];
export const MAX_LOTS = 100;

/** The body of `POST /custody/prepare` (domain-decisions §2.3). */
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

/** What the caller wants, complete in itself. */
export interface CustodyOrder {
  readonly action: CustodyAction;
  readonly tokenIds: readonly bigint[];
  readonly to: string | null;
  readonly processType: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Where in the body lot `index` was named. */
  readonly pointerOf: (index: number) => string;
}

/** @throws DomainError 422 `invalid_content` with everything that is wrong with the order itself, whatever the lots are */
export function custodyOrder(input: CustodyInput): CustodyOrder {
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
