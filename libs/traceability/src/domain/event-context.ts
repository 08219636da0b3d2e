import type { LotFacts } from '../contract.js';
import type { PublishedProcess } from './process-map.js';

/** A lot that an event names, with what only the rules of events ask about it. */
export interface NamedLot extends LotFacts {
  readonly expiresAt: Date | null;
  /** 0 for goods, 1 to 8 for a container. */
  readonly depth: number;
  readonly recallAffected: boolean;
  /** Of a container: a lot inside, at any depth, that is on hold. */
  readonly heldInside: bigint | null;
  /** Event time of the event that minted it. */
  readonly madeAt: Date | null;
  /** Which assessment report its footprint was stated by. */
  readonly gwp: 'AR5' | 'AR6' | null;
}

/** What the sender may be told about who holds the lots. */
export interface Sender {
  /** EIP-55; null = the caller has no wallet. */
  readonly address: string | null;
  /** Wallets of the sender's organisation, its own included. */
  readonly colleagues: ReadonlySet<string>;
}

/** Everything that validation looks at besides the submission. Gathered by the caller, so that the rules are pure. */
export interface EventContext {
  readonly published: PublishedProcess | null;
  /** Process types of the tenant, for "did you mean". */
  readonly knownProcessTypes: readonly string[];
  readonly lots: readonly NamedLot[];
  /** TLCs of landed lots among those that the event would mint. */
  readonly takenTlcs: ReadonlySet<string>;
  /** What other open prepared events reach for: `tlc:<code>`, `lot:<token id>`. */
  readonly claims: ReadonlySet<string>;
  readonly sender: Sender;
  /** Last final block of the projection. */
  readonly finalBlock: number;
  readonly now: Date;
  /** Where the TLC template has no code yet taken; null where none is asked for. */
  readonly generatedTlc: string | null;
  readonly rules: TenantRules;
  /** The event rides on an offer or an acceptance, which moves custody itself. */
  readonly riding: boolean;
}

/** Settings of a tenant (domain-decisions §1, §2.1). */
export interface TenantRules {
  readonly blockExpired: boolean;
  readonly blockRecallAffected: boolean;
}

export const DEFAULT_RULES: TenantRules = { blockExpired: false, blockRecallAffected: false };

export const claimOfTlc = (tlc: string): string => `tlc:${tlc}`;
export const claimOfLot = (tokenId: bigint): string => `lot:${tokenId}`;
