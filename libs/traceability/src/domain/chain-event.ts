import type { Hex } from '#kernel';
import type { EventStatus } from './event-status.js';
import type { MintedOutput } from './projection-event.js';

/**
 * An event as the chain committed to it, read back from its row and the first versions of its lots; before it has landed the
 * values of the chain are empty.
 */
export interface ChainEvent {
  readonly id: string;
  readonly status: EventStatus;
  readonly processType: string | null;
  readonly orgId: string | null;
  /** User or API key id; null for one that was sent to the contract without us. */
  readonly preparedBy: string | null;
  readonly chainEventId: Hex;
  readonly processId: Hex;
  readonly dataHash: Hex | null;
  readonly ipfsCid: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly outputTlc: string | null;
  /** The event whose content this one corrects. */
  readonly supersedes: string | null;
  readonly containmentMode: number;
  readonly chainId: number | null;
  readonly contract: string | null;
  readonly actor: string | null;
  readonly txHash: Hex | null;
  readonly blockHash: Hex | null;
  readonly blockNumber: number | null;
  readonly inputTokenIds: readonly bigint[];
  /** As `EventRecorded` says; empty for an event that rode on another call. */
  readonly consumed: readonly bigint[];
  readonly firstOutputId: bigint;
  readonly outputs: readonly MintedOutput[];
}

/** Why an event's effects cannot be taken back: a lot that it made was touched, or one that it used cannot take anything back. */
export interface Obstacle {
  readonly tokenId: number;
  readonly tlc: string;
  readonly role: 'output' | 'input';
  readonly reasons: readonly ('used' | 'retired' | 'recalled' | 'offered' | 'moved' | 'contained')[];
  /** Events that touched the lot since, newest first: to void before this one where it was only used. */
  readonly eventIds: readonly string[];
}
