import { tenantLotsAbi, tenantRegistryAbi } from '#contracts';
import { DomainError, revertCode } from '#kernel';
import type { Decoded } from '../codec/contract-codec.js';
import { passkeyAccount } from '../accounts/passkey-account.js';
import { decodeRevert } from '../codec/tenant-lots.js';
import type { RpcRefused } from '../rpc/rpc-errors.js';

type Args = Readonly<Record<string, unknown>>;

interface Revert {
  readonly status?: number;
  readonly sentence: (args: Args) => string;
}

/**
 * Messages for the custom errors of the tenant's contract and of the registry. Each has a code of its own (`revertCode`); any other reverting
 * estimate is 422 `tx_would_revert` (docs/spec/api.md#generic-prepare). The problem also contains the error as `revert {name, args}`.
 */
const REVERTS: Readonly<Record<string, Revert>> = {
  TlcTaken: { status: 409, sentence: (a) => `Lot ${text(a.tokenId)} already uses this traceability lot code.` },
  EventExists: { status: 409, sentence: () => 'An event with this id is already on the chain.' },
  NotAuthorized: { sentence: (a) => `${text(a.actor)} has no right in the contract to do this.` },
  NotCustodian: { sentence: (a) => `${text(a.actor)} is not the custodian of lot ${text(a.tokenId)} and has no approval to act for it.` },
  UnknownLot: { sentence: (a) => `Lot ${text(a.tokenId)} does not exist on chain.` },
  LotNotActive: { sentence: (a) => `Lot ${text(a.tokenId)} is not active: it is in transit, in a container, consumed or retired.` },
  LotIsRecalled: { sentence: (a) => `Lot ${text(a.tokenId)} is recalled, or contains a recalled lot.` },
  HoldsRecalled: {
    sentence: (a) =>
      `${text(a.from)} holds ${text(a.lots)} recalled lots: an admin must propose the move, or give the new wallet the role RETURNS.`,
  },
  NotRecalled: { sentence: (a) => `Lot ${text(a.tokenId)} is not recalled.` },
  LotContained: { sentence: (a) => `Lot ${text(a.tokenId)} is inside container ${text(a.containerTokenId)}.` },
  LotTouched: { sentence: (a) => `Output ${text(a.tokenId)} was already used, moved or offered: the event cannot be voided.` },
  IsContainer: { sentence: (a) => `Lot ${text(a.tokenId)} is a container and cannot be consumed.` },
  NotContainer: { sentence: (a) => `Lot ${text(a.tokenId)} is not a container.` },
  NestingTooDeep: { sentence: () => 'Containers can be nested eight levels deep.' },
  MixedCustody: { sentence: (a) => `Lot ${text(a.tokenId)} has another custodian than the first lot.` },
  OverConsumption: {
    sentence: (a) => `Lot ${text(a.tokenId)} has ${text(a.remaining)} millionths left; ${text(a.requested)} were requested.`,
  },
  Uncounted: { sentence: (a) => `Lot ${text(a.tokenId)} has no quantity: it can only be used as a whole.` },
  InvalidQuantity: { sentence: () => 'The quantity is not allowed here.' },
  UnknownEvent: { sentence: () => 'No event with this id and these effects is on the chain.' },
  InvalidAddress: { sentence: (a) => `The address ${text(a.account)} is not allowed here.` },
  InvalidMode: { sentence: (a) => `The containment mode ${text(a.mode)} is not allowed here.` },
  InvalidReason: { sentence: (a) => `The retire reason ${text(a.reason)} is not allowed here.` },
  InvalidShape: { sentence: () => 'The lists of the call have different lengths.' },
  NotAscending: { sentence: (a) => `Inputs must be unique and in ascending order; ${text(a.tokenId)} is not.` },
  TooMany: { sentence: (a) => `${text(a.given)} is more than the contract accepts in one call (${text(a.limit)}).` },
  NoOffer: { sentence: (a) => `Offer ${text(a.offerNo)} does not include lot ${text(a.tokenId)} any more.` },
  NoConsent: { sentence: (a) => `${text(a.to)} has not allowed direct transfers: make an offer.` },
  LastAdmin: { sentence: () => 'An admin cannot remove its own admin role.' },
  IsPaused: { sentence: (a) => `The contract is paused until ${text(a.until)} (seconds since 1970).` },
  PauseTooLong: { sentence: (a) => `A pause may last until ${text(a.limit)} at most (seconds since 1970).` },
  AlreadyInitialized: { sentence: () => 'The contract is already initialised.' },
  ERC721InvalidReceiver: { sentence: (a) => `${text(a.receiver)} is a contract that does not accept lots.` },
  TenantExists: { status: 409, sentence: () => 'The registry has a tenant with this id already.' },
  UnknownTenant: { sentence: () => 'The registry has no tenant with this id.' },
  BadVersion: { sentence: (a) => `The registry has no version ${text(a.version)} of the contract.` },
  FirstTokenIdTooLow: { sentence: (a) => `The first token id must be at least ${text(a.least)}; ${text(a.given)} is less.` },
  OwnableUnauthorizedAccount: { sentence: (a) => `${text(a.account)} does not own the registry.` },
  OwnableInvalidOwner: { sentence: (a) => `${text(a.owner)} cannot own the registry.` },
  FailedDeployment: { sentence: () => 'The contract of the tenant could not be created.' },
  InsufficientBalance: { sentence: (a) => `The registry has ${text(a.balance)} wei; ${text(a.needed)} are needed.` },
  Error: { sentence: (a) => `The call would revert: ${text(a.message)}.` },
  Panic: { sentence: (a) => `The contract had an internal error (panic ${text(Object.values(a)[0])}).` },
};

const CUSTOM: ReadonlySet<string> = new Set(
  [...tenantLotsAbi, ...tenantRegistryAbi].flatMap((part) => (part.type === 'error' ? [part.name] : [])),
);

export function refusalOf(error: Pick<RpcRefused, 'data' | 'message'>): DomainError {
  const revert = error.data === null ? null : decodeRevert(error.data);
  const known = revert && REVERTS[revert.name];
  const sentence = known ? known.sentence(revert.args) : `The transaction would fail: ${revert?.name ?? error.message}.`;
  const code = revert && CUSTOM.has(revert.name) ? revertCode(revert.name) : 'tx_would_revert';
  return new DomainError(code, known?.status ?? 422, sentence, { revert: revert && forJson(revert) });
}

const text = (value: unknown): string => String(value);

/** Integers as JSON numbers where they are safe, else as decimal strings. */
function forJson({ name, args }: Decoded): Decoded {
  const plain = (value: unknown) =>
    typeof value !== 'bigint' ? value : value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : String(value);
  return { name, args: Object.fromEntries(Object.entries(args).map(([key, value]) => [key, plain(value)])) };
}

/** Of a batch of a passkey account: the refusal of the call in it that fails, or of the account itself. */
export function batchRefusalOf(error: Pick<RpcRefused, 'data' | 'message'>): DomainError {
  const revert = error.data === null ? null : passkeyAccount.decodeError(error.data);
  if (revert?.name !== 'CallFailed')
    return revert ? new DomainError('tx_would_revert', 422, `The account refuses: ${revert.name}.`) : refusalOf(error);
  const { index, reason } = revert.args;
  const inner = refusalOf({ data: reason as string, message: 'a call of the batch reverts' });
  return new DomainError(inner.code, inner.status, inner.message, { ...inner.details, callIndex: Number(index) });
}
