import type { Role } from '#kernel';

export interface Parameter {
  readonly name: string;
  /** Solidity type; `tuple` and `tuple[]` have components. */
  readonly type: string;
  readonly components?: readonly Parameter[];
}

/** A state-changing function of the tenant's contract. */
export interface Method {
  readonly name: string;
  /** `name(type,…)`: tells overloads apart. */
  readonly signature: string;
  readonly inputs: readonly Parameter[];
}

const HOLDERS: readonly Role[] = ['OPERATOR', 'ADMIN', 'TENANT_ADMIN'];
const CORRECTORS: readonly Role[] = ['COMPLIANCE', 'TENANT_ADMIN'];
const ANY_ROLE: readonly Role[] = ['OPERATOR', 'ADMIN', 'AUDITOR', 'COMPLIANCE', 'TENANT_ADMIN'];

/** The table of docs/spec/api.md#identity. A method that is not listed is administrative. */
const RIGHTS: Readonly<Record<string, readonly Role[]>> = {
  recordEvent: ANY_ROLE, // the process map's requiredRoles decide
  offerCustody: HOLDERS,
  acceptCustody: HOLDERS,
  offerParts: HOLDERS,
  acceptParts: HOLDERS,
  rejectCustody: HOLDERS,
  cancelCustody: HOLDERS,
  transferFrom: HOLDERS,
  safeTransferFrom: HOLDERS,
  approve: HOLDERS,
  setApprovalForAll: HOLDERS,
  setDirectReceipt: HOLDERS,
  settle: HOLDERS,
  retire: CORRECTORS,
  voidEvent: CORRECTORS,
  amendEvent: CORRECTORS,
  proposeWallet: ['ADMIN', 'TENANT_ADMIN'],
  acceptWallet: ANY_ROLE, // the new wallet's owner, whatever the role
  vetoWallet: ANY_ROLE, // a custodian defends their own wallet
};

/** Administration and recalls: of the whole contract, whatever the process. */
export const isAdministrative = (method: string): boolean => !Object.hasOwn(RIGHTS, method) || method === 'proposeWallet';

export const rolesFor = (method: string): readonly Role[] => (Object.hasOwn(RIGHTS, method) ? RIGHTS[method]! : ['TENANT_ADMIN']);

/**
 * The method by name or signature; of an overloaded one the form that the given arguments fit best.
 * Null when there is none.
 */
export function findMethod(methods: readonly Method[], asked: string, given: readonly string[]): Method | null {
  const named = methods.filter((method) => method.signature === asked || method.name === asked);
  const misfit = ({ inputs }: Method): number => {
    const names = new Set(inputs.map((input) => plainName(input.name)));
    return given.filter((name) => !names.has(plainName(name))).length * 100 + Math.max(0, names.size - given.length);
  };
  return named.toSorted((a, b) => misfit(a) - misfit(b))[0] ?? null;
}

/** Solidity names with a trailing underscore only avoid a clash with a function. */
export const plainName = (name: string): string => name.replace(/_$/, '');

/** Whether the call can record an event: one whose process is of kind transfer. */
export const takesEvent = ({ name }: Method): boolean => HAND_OVERS.includes(name);

const HAND_OVERS: readonly string[] = ['offerCustody', 'acceptCustody', 'offerParts', 'acceptParts'];
const MOVES: readonly string[] = [...HAND_OVERS, 'transferFrom', 'safeTransferFrom'];

/**
 * The lots that the call would move, with their places among the arguments. The encoder refuses what is no token id;
 * the lots of `recordEvent` belong to the event, and retiring, rejecting and cancelling stay possible whatever puts a lot on hold.
 */
export function movedLots({ name }: Method, args: Readonly<Record<string, unknown>>): readonly MovedLot[] {
  if (!MOVES.includes(name)) return [];
  const { tokenIds, tokenId } = args;
  const named = Array.isArray(tokenIds)
    ? tokenIds.map((id: unknown, i) => ({ id, pointer: `/args/tokenIds/${i}` }))
    : [{ id: tokenId, pointer: '/args/tokenId' }];
  return named.flatMap(({ id, pointer }) => {
    const parsed = tokenIdOf(id);
    return parsed === null ? [] : [{ tokenId: parsed, pointer }];
  });
}

const MAX_TOKEN_ID = (1n << 63n) - 1n;

/** Every spelling that the encoder accepts, `0x10` too. */
function tokenIdOf(value: unknown): bigint | null {
  try {
    const tokenId = BigInt(String(value));
    return tokenId >= 0n && tokenId <= MAX_TOKEN_ID ? tokenId : null;
  } catch {
    return null;
  }
}

interface MovedLot {
  readonly tokenId: bigint;
  readonly pointer: string;
}

/** Whether the hash of stored content has a place in the call. */
export const carriesHash = ({ inputs }: Method): boolean => inputs.some(({ name }) => name === 'dataHash' || name === 'e');
