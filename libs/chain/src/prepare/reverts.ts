import { DomainError } from '#kernel';
import { type Decoded, decodeRevert } from '../codec/index.js';
import type { RpcRefused } from '../rpc/index.js';

type Args = Readonly<Record<string, unknown>>;

interface Reason {
  readonly code?: string;
  readonly status?: number;
  readonly sentence: (args: Args) => string;
}

/**
 * Custom errors of the tenant's contract in plain words. A reverting estimate is 422 `tx_would_revert` unless the row says
 * otherwise (api-decisions §1); the error itself goes along as `revert {name, args}`.
 */
const REASONS: Readonly<Record<string, Reason>> = {
  TlcTaken: { code: 'tlc_taken', status: 409, sentence: (a) => `The traceability lot code is taken by lot ${text(a.tokenId)}.` },
  EventExists: { code: 'event_exists', status: 409, sentence: () => 'An event with this id has landed already.' },
  NotAuthorized: { sentence: (a) => `The contract gives ${text(a.actor)} no right to do this.` },
  NotCustodian: { sentence: (a) => `${text(a.actor)} is not the custodian of lot ${text(a.tokenId)} and does not act for it.` },
  UnknownLot: { sentence: (a) => `Lot ${text(a.tokenId)} does not exist on chain.` },
  LotNotActive: { sentence: (a) => `Lot ${text(a.tokenId)} is not active: it is in transit, in a container, consumed or retired.` },
  LotIsRecalled: { sentence: (a) => `Lot ${text(a.tokenId)} is recalled, or holds a recalled lot.` },
  NotRecalled: { sentence: (a) => `Lot ${text(a.tokenId)} is not recalled.` },
  LotContained: { sentence: (a) => `Lot ${text(a.tokenId)} lies in container ${text(a.containerTokenId)}.` },
  LotTouched: { sentence: (a) => `Output ${text(a.tokenId)} has been used, moved or offered since: the event cannot be voided.` },
  IsContainer: { sentence: (a) => `Lot ${text(a.tokenId)} is a container and cannot be used up.` },
  NotContainer: { sentence: (a) => `Lot ${text(a.tokenId)} is not a container.` },
  NestingTooDeep: { sentence: () => 'Containers can be nested eight levels deep.' },
  MixedCustody: { sentence: (a) => `Lot ${text(a.tokenId)} has another custodian than the first lot.` },
  OverConsumption: {
    sentence: (a) => `Lot ${text(a.tokenId)} has ${text(a.remaining)} millionths left; ${text(a.requested)} were asked for.`,
  },
  Uncounted: { sentence: (a) => `Lot ${text(a.tokenId)} has no quantity: it can only be used whole.` },
  InvalidQuantity: { sentence: () => 'The quantity is not allowed here.' },
  UnknownEvent: { sentence: () => 'No event with this id and these effects has landed.' },
  InvalidAddress: { sentence: (a) => `The address ${text(a.account)} is not allowed here.` },
  InvalidMode: { sentence: (a) => `The containment mode ${text(a.mode)} is not allowed here.` },
  InvalidReason: { sentence: (a) => `The retire reason ${text(a.reason)} is not allowed here.` },
  InvalidShape: { sentence: () => 'The lists of the call do not fit together.' },
  NotAscending: { sentence: (a) => `Inputs are named once each and in ascending order; ${text(a.tokenId)} is not.` },
  TooMany: { sentence: (a) => `${text(a.given)} is more than the contract takes in one call (${text(a.limit)}).` },
  NoOffer: { sentence: (a) => `Lot ${text(a.tokenId)} is not under the offer ${text(a.offerNo)} any more.` },
  NoConsent: { sentence: (a) => `${text(a.to)} has not allowed direct transfers: make an offer.` },
  LastAdmin: { sentence: () => 'An admin cannot take the admin role from itself.' },
  IsPaused: { sentence: (a) => `The contract is paused until ${text(a.until)} (seconds since 1970).` },
  PauseTooLong: { sentence: (a) => `A pause may last until ${text(a.limit)} at most (seconds since 1970).` },
  AlreadyInitialized: { sentence: () => 'The contract is set up already.' },
  ERC721InvalidReceiver: { sentence: (a) => `${text(a.receiver)} is a contract that does not take lots.` },
  Error: { sentence: (a) => `The call would revert: ${text(a.message)}.` },
  Panic: { sentence: (a) => `The contract hit an inner fault (panic ${text(Object.values(a)[0])}).` },
};

export function refusalOf(error: RpcRefused): DomainError {
  const revert = error.data === null ? null : decodeRevert(error.data);
  const reason = revert && REASONS[revert.name];
  const sentence = reason ? reason.sentence(revert.args) : `The transaction would not run: ${revert?.name ?? error.message}.`;
  return new DomainError(reason?.code ?? 'tx_would_revert', reason?.status ?? 422, sentence, { revert: revert && forJson(revert) });
}

const text = (value: unknown): string => String(value);

/** Integers as JSON numbers where they are safe, else as decimal strings. */
function forJson({ name, args }: Decoded): Decoded {
  const plain = (value: unknown) =>
    typeof value !== 'bigint' ? value : value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : String(value);
  return { name, args: Object.fromEntries(Object.entries(args).map(([key, value]) => [key, plain(value)])) };
}
