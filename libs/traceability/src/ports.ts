import type { TenantTx } from '#persistence';
import type { PreparedEventRow } from './domain/prepared-event.js';
import type { ProcessMap, PublishedProcess } from './domain/process-map.js';

/** Published process maps of a tenant. Versions are never changed or taken away. */
export abstract class ProcessMaps {
  /** The process in the newest version of the map that owns its key; null for an unknown, differently written or dropped one. */
  abstract process(tx: TenantTx, processType: string): Promise<PublishedProcess | null>;
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

export abstract class LotBackgrounds {
  abstract of(tx: TenantTx, tokenIds: readonly bigint[]): Promise<readonly LotBackground[]>;
  /** Those of the codes that a landed lot has; a voided lot's code is free again. */
  abstract takenTlcs(tx: TenantTx, tlcs: readonly string[]): Promise<ReadonlySet<string>>;
}

export abstract class PreparedEvents {
  /** Which of these claims (`claimOfTlc`, `claimOfLot`) open prepared events have made. */
  abstract claimed(tx: TenantTx, claims: readonly string[], now: Date): Promise<ReadonlySet<string>>;
  /** The event and its claims, in one statement. */
  abstract insert(tx: TenantTx, event: PreparedEventRow): Promise<void>;
}

/** What an operator may set; these are the defaults. Provide another one to change them. */
export class EventSettings {
  readonly preparedTtlSeconds: number = 7 * 86_400;
  readonly blockExpired: boolean = false;
  readonly blockRecallAffected: boolean = false;
}
