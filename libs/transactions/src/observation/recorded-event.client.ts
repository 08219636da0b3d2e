import { type AccountCall, passkeyAccount, tenantLots } from '#chain';
import { ZERO_BYTES32, eventIdFromBytes } from '#kernel';

const NO_EVENT = { eventId: null, eventDataHash: null };

/** The event that the call records, as its own or attached to it. */
export function recordedEvent(input: string): { readonly eventId: string | null; readonly eventDataHash: string | null } {
  try {
    const args = tenantLots.decodeCall(input)?.args as { eventId?: string; dataHash?: string; e?: EventArgs } | undefined;
    const { eventId, dataHash } = args?.e ?? args ?? {};
    if (eventId === undefined || eventId === ZERO_BYTES32) return NO_EVENT;
    const uuid = eventIdFromBytes(eventId);
    return uuid === null ? NO_EVENT : { eventId: uuid, eventDataHash: dataHash ?? null };
  } catch {
    return NO_EVENT; // calldata of something else
  }
}

interface EventArgs {
  readonly eventId?: string;
  readonly dataHash?: string;
}

/** What an account does in a transaction that somebody else sent to it. */
export interface BatchOfAccount {
  /** That all of its calls go to; null where they go to several. */
  readonly to: string | null;
  /** Of the first call that records one. */
  readonly event: ReturnType<typeof recordedEvent>;
}

/** @param input calldata for an account of ours @returns null for anything but a batch */
export function batchIn(input: string): BatchOfAccount | null {
  try {
    const decoded = passkeyAccount.decodeCall(input);
    if (decoded?.name !== 'execute') return null;
    const calls = decoded.args['calls'] as readonly AccountCall[];
    const targets = new Set(calls.map(({ to }) => to));
    const event = calls.map(({ data }) => recordedEvent(data)).find(({ eventId }) => eventId !== null);
    return { to: targets.size === 1 ? calls[0]!.to : null, event: event ?? NO_EVENT };
  } catch {
    return null; // no calldata of an account
  }
}
