import type { PreparedCall } from '#chain';
import { type Hex, type Role, ZERO_BYTES32 } from '#kernel';
import type { TenantTx } from '#persistence';

/** The event that a call records in addition to its effect: `EventRef` in contracts/src/TenantLots.sol. */
export interface EventReference {
  readonly eventId: Hex;
  readonly processId: Hex;
  readonly dataHash: Hex;
}

/** No event; the call may still commit to a note. */
export const noEvent = (dataHash: Hex = ZERO_BYTES32): EventReference => ({ eventId: ZERO_BYTES32, processId: ZERO_BYTES32, dataHash });

/** A call of a tenant's contract: arguments by name, in the order of the ABI (contracts/src/TenantLots.sol). */
export interface ContractCall {
  readonly method: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export type PreparedContractCall = ContractCall & PreparedCall;

/** Who may prepare a call (docs/spec/api.md#identity): one of these roles, or any member where the call itself decides. */
export type CallRoles = readonly Role[] | 'member';

/** Metadata that is stored by content with a call, so that the call can carry its hash. */
export interface Note {
  /** What the call does, in the words of its request. */
  readonly call: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Null without metadata: then nothing is stored. */
export const noteWith = (call: Note['call'], metadata: Note['metadata'] | null | undefined): Note | null =>
  metadata && Object.keys(metadata).length > 0 ? { call, metadata } : null;

export interface StoredContent {
  readonly ipfsCid: string;
  readonly dataHash: Hex;
}

/** The contract that a tenant's calls go to. Identity provides it. */
export abstract class TenantContract {
  /** EIP-55 address. @throws DomainError 409 `tenant_has_no_contract` */
  abstract contractOf(tenantId: string): Promise<string>;
}

/** How many bytes a tenant may store. Identity provides it. */
export abstract class StorageQuota {
  /** @throws DomainError 429 `quota_exceeded` */
  abstract take(tx: TenantTx, more: { readonly bytes: number }): Promise<void>;
}

/** A call that a sender would sign; null in the place of one that was refused. */
export type AccountCalls = readonly ({
  readonly sender: string;
  readonly to: string;
  readonly data: string;
  readonly gas: number;
} | null)[];

/** Keeps the calls whose sender is an account of passkeys, for `POST /tx/relay`. Identity provides it. */
export abstract class KeepAccountCalls {
  /** @returns the id of each call that was kept, in their order */
  abstract keep(calls: AccountCalls): Promise<readonly (string | null)[]>;
}
