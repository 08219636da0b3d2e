import type { SystemTx, TenantTx } from '#persistence';
import type { ChainEvent, Obstacle } from './domain/chain-event.js';
import type { ErrorDeclaration } from './domain/correction.js';
import type { TenantRules } from './domain/event-context.js';
import type { PreparedEventRow } from './domain/prepared-event.js';
import type { Lot } from './domain/lot.js';
import type { ProcessMap, PublishedProcess } from './domain/process-map.js';
import type { EventLine, Recording } from './domain/projection-event.js';
import type { LandedEvent } from './domain/projection-landed.js';
import type { MapWords } from './domain/projection-words.js';
import type { ChainEvidence } from './domain/verification.js';

/** Published process maps of a tenant. Versions are never changed or taken away. */
export abstract class ProcessMaps {
  /** The process in the newest version of the map that owns its key; null for an unknown, differently written or dropped one. */
  abstract process(tx: TenantTx, processType: string): Promise<PublishedProcess | null>;
  /** The same for many keys at once, by key; those without a process are not there. */
  abstract processes(tx: TenantTx, processTypes: readonly string[]): Promise<ReadonlyMap<string, PublishedProcess>>;
  /** The process behind a bytes32 process id. */
  abstract processById(tx: TenantTx, processId: string): Promise<PublishedProcess | null>;
  /** Every key of the tenant with the map that owns it. */
  abstract processTypes(tx: TenantTx): Promise<readonly { readonly processType: string; readonly mapName: string }[]>;
  abstract version(tx: TenantTx, name: string, version: string): Promise<ProcessMap | null>;
  abstract newest(tx: TenantTx, name: string): Promise<ProcessMap | null>;
  /** All versions, newest first. */
  abstract versions(tx: TenantTx, name?: string): Promise<readonly Omit<ProcessMap, 'document'>[]>;
  /** Newest version of every map, by name. */
  abstract all(tx: TenantTx): Promise<readonly ProcessMap[]>;
  /** Only one publication of a tenant at a time goes on from here, until the end of the transaction. */
  abstract lock(tx: TenantTx): Promise<void>;
  abstract publish(tx: TenantTx, map: ProcessMap): Promise<void>;
}

/** What the rules of events ask about lots beyond `LotFacts`. */
export interface LotBackground {
  readonly tokenId: bigint;
  readonly expiresAt: Date | null;
  readonly depth: number;
  readonly recallAffected: boolean;
  readonly madeAt: Date | null;
  readonly gwp: 'AR5' | 'AR6' | null;
}

/** What rules about events ask of the lots they name, beside their facts. */
export abstract class LotBackgrounds {
  /** The known ones among these. */
  abstract of(tx: TenantTx, tokenIds: readonly bigint[]): Promise<readonly LotBackground[]>;
  /** Those of the codes that a landed lot has; a voided lot's code is free again. */
  abstract takenTlcs(tx: TenantTx, tlcs: readonly string[]): Promise<ReadonlySet<string>>;
}

/** Events between their preparation and their landing. */
export abstract class PreparedEvents {
  /** Which of these claims (`claimOfTlc`, `claimOfLot`) open prepared events have made. */
  abstract claimed(tx: TenantTx, claims: readonly string[], now: Date): Promise<ReadonlySet<string>>;
  /** The events and their claims, in one statement. */
  abstract insert(tx: TenantTx, events: readonly PreparedEventRow[]): Promise<void>;
  /** Whether the event was merely prepared; then it is gone, and its claims with it. */
  abstract withdraw(tx: TenantTx, id: string): Promise<boolean>;
  /** @returns how many of any tenant expired, `limit` at most */
  abstract expire(tx: SystemTx, now: Date, limit: number): Promise<number>;
  /** Expired before then, and never landed. @returns how many, `limit` at most */
  abstract forgetExpired(tx: SystemTx, before: Date, limit: number): Promise<number>;
  /** Declarations prepared before then that never landed. @returns how many, `limit` at most */
  abstract forgetDeclarations(tx: SystemTx, before: Date, limit: number): Promise<number>;
}

/** What an operator may set; these are the defaults. Provide another one to change them. */
export class EventSettings {
  readonly preparedTtlSeconds: number = 7 * 86_400;
  /** After they expired. */
  readonly expiredKeptSeconds: number = 90 * 86_400;
}

/** What a tenant has set for its events; the defaults where it has said nothing. */
export abstract class Rules {
  abstract of(tx: TenantTx): Promise<TenantRules>;
  abstract set(tx: TenantTx, rules: TenantRules, by: { readonly id: string; readonly at: Date }): Promise<void>;
}

/** An error declaration that was prepared; it counts when its hash lands. */
export interface PreparedDeclaration extends ErrorDeclaration {
  readonly eventId: string;
  readonly dataHash: string;
  /** User or API key id. */
  readonly preparedBy: string;
}

/** Events as the chain committed to them, and what stands against taking them back. */
export abstract class ChainEvents {
  abstract byId(tx: TenantTx, id: string): Promise<ChainEvent | null>;
  /** Those of the ids that are on chain. */
  abstract landed(tx: TenantTx, ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Empty when the event can be voided. */
  abstract obstacles(tx: TenantTx, event: ChainEvent): Promise<readonly Obstacle[]>;
  abstract isContractAdmin(tx: TenantTx, contract: string, account: string): Promise<boolean>;
  abstract declare(tx: TenantTx, declaration: PreparedDeclaration): Promise<void>;
}

/** The chain asked anew about an event that landed. */
export abstract class ChainRecords {
  /** @throws EngineUnavailable('chain') */
  abstract of(event: ChainEvent): Promise<ChainEvidence>;
}

/** A landed event whose content is not known yet. */
export interface Unresolved {
  readonly tenantId: string;
  readonly id: string;
  readonly cid: string;
  /** bytes32, lower-case hex. */
  readonly chainEventId: string;
  readonly chainId: number;
  readonly contract: string;
}

/** The event as the chain had it, and its inputs as they stood right after it. */
export interface UnresolvedRecording {
  readonly recording: Recording;
  readonly orgId: string | null;
  readonly inputs: ReadonlyMap<bigint, Lot>;
  /** Of its inputs those that were retired with it, and how much of each. */
  readonly retired: ReadonlyMap<bigint, EventLine['quantity']>;
}

/** Landed events whose content was not to be had then. */
export abstract class UnresolvedEvents {
  /** Those whose turn it is, longest waiting first; their next turn is fixed by this. Another process does not get the same ones. */
  abstract take(tx: SystemTx, now: Date, limit: number): Promise<readonly Unresolved[]>;
  /** Null when it is resolved, or gone with its block, by now. */
  abstract recording(tx: TenantTx, event: Unresolved): Promise<UnresolvedRecording | null>;
  abstract maps(tx: TenantTx): Promise<readonly MapWords[]>;
  /** Writes the words that were found, into the event and into every version of the lots that it made. */
  abstract write(tx: TenantTx, event: LandedEvent, now: Date): Promise<void>;
}
