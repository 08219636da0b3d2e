import type { SystemTx, TenantTx } from '#persistence';
import type { AlertType, Finding, Severity } from './domain/alerts/alert.js';
import type { RULES } from './domain/alerts/catalogue.js';
import type { Circumstances } from './domain/alerts/circumstances.js';

/** A part of the rules' catalogue: what looks at the same facts. */
export type SourceName = keyof typeof RULES;

/** How far a source was followed before. */
export interface Followed {
  /** The source's own; null = from the beginning. */
  readonly place: string | null;
  /** Blocks up to here cannot be undone any more; -1 before there is one. */
  readonly final: number;
  readonly head: number;
}

export interface Fresh {
  /** Subjects to judge, by id. */
  readonly ids: readonly string[];
  readonly place: string | null;
  readonly more: boolean;
}

/** Where a kind of facts comes from: which subjects are worth a look, and what is known of them. */
export abstract class AlertSource<Facts = unknown> {
  /** How many subjects of standing alerts are looked at again in one round. */
  readonly atOnce: number = 500;
  /** A bounded number of subjects with something new, or that may have become alerts and are not. */
  abstract fresh(tx: TenantTx, followed: Followed, at: Circumstances): Promise<Fresh>;
  /** The facts of those among these that are still there. */
  abstract facts(tx: TenantTx, ids: readonly string[], at: Circumstances): Promise<readonly Facts[]>;
  /** Subjects that facts speak of besides the ones they were asked for. */
  covered(_facts: readonly Facts[]): readonly string[] {
    return [];
  }
  /** What is to be remembered of these subjects. */
  async remember(_tx: TenantTx, _ids: readonly string[], _facts: readonly Facts[]): Promise<void> {}
}

/** What is looked at in a round, in this order. */
export abstract class AlertSources {
  abstract readonly names: readonly SourceName[];
  abstract of(name: SourceName): AlertSource;
}

/** What stands, written by whoever goes around. */
export abstract class AlertBook {
  /** What these subjects of a source come to now: findings are written, and what stood about them and is no finding any more is over. */
  abstract settle(tx: TenantTx, source: SourceName, subjects: readonly string[], findings: readonly Finding[], now: Date): Promise<void>;
  /** Subjects of what stands, in the order of their ids. */
  abstract standing(tx: TenantTx, source: SourceName, after: string | null, limit: number): Promise<readonly string[]>;
  /** Those of any tenant that were over before then, the oldest first. @returns how many, `most` at most */
  abstract forget(tx: SystemTx, before: Date, most: number): Promise<number>;
}

/** A tenant's own limits and what its maps say, as they are now; the digest is of everything but the time. */
export abstract class AlertCircumstances {
  abstract read(tx: TenantTx, now: Date): Promise<Circumstances & { readonly digest: string }>;
}

export interface Walk {
  readonly place: string | null;
  /** Which part of what stands was looked at again. */
  readonly againAfter: string | null;
}

export interface Round {
  readonly at: Date;
  readonly block: number;
  readonly tookMs: number;
  /** Nothing was left over. */
  readonly complete: boolean;
  readonly nextAt: Date;
}

/** Whose turn it is, and how far each source was followed. */
export abstract class AlertRounds {
  /** A tenant that is due, taken for a while: whoever dies over it leaves it to others. */
  abstract take(tx: SystemTx, now: Date, leaseMs: number): Promise<string | null>;
  /** @param digest of the rules: under other ones than before the walk begins anew */
  abstract walk(tx: TenantTx, source: SourceName, digest: string): Promise<Walk>;
  abstract walked(tx: TenantTx, source: SourceName, digest: string, walk: Walk): Promise<void>;
  /** The active lots, by which the health score is weighed; not at every round of a large tenant. */
  abstract countLots(tx: TenantTx, now: Date): Promise<void>;
  abstract done(tx: TenantTx, round: Round): Promise<void>;
}

/** What a narrator may know: counts, and no name, code or place. */
export interface AlertFigures {
  readonly total: number;
  readonly bySeverity: Readonly<Record<Severity, number>>;
  readonly byType: Readonly<Partial<Record<AlertType, number>>>;
  readonly healthScore: number;
}

/** Words the figures. Optional: without it, or when it fails, the rules' own sentences stand alone. */
export abstract class Narrator {
  /** Null = there is none, and it is not asked. */
  abstract readonly model: string | null;
  /** @throws whatever went wrong */
  abstract narrate(figures: AlertFigures): Promise<string | null>;
}

export interface StandingGroup {
  readonly type: AlertType;
  readonly group: string;
  readonly severity: Severity;
  readonly count: number;
  readonly acknowledged: number;
  readonly earliest: Date;
}

/** What somebody decided about an alert. */
export interface Acknowledgement {
  readonly by: string;
  readonly at: Date;
  readonly note: string | null;
  readonly mutedUntil: Date | null;
}

export interface StandingAlert {
  readonly id: string;
  readonly type: AlertType;
  readonly severity: Severity;
  readonly subjectKind: string;
  readonly subjectId: string;
  readonly tokenId: number | null;
  readonly tlc: string | null;
  readonly title: string;
  readonly detail: string;
  readonly evidence: Readonly<Record<string, unknown>>;
  readonly threshold: Readonly<Record<string, unknown>>;
  readonly detectedAt: Date;
  readonly firstSeenAt: Date;
  readonly resolvedAt: Date | null;
  readonly acknowledgedAt: Date | null;
  readonly acknowledgedBy: string | null;
  readonly acknowledgedNote: string | null;
  readonly mutedUntil: Date | null;
}

/** Whose alerts, of which time, of what kind. */
export interface AlertFilter {
  readonly from: Date | null;
  readonly to: Date | null;
  readonly orgId: string | null;
  /** LIKE patterns of process types; null = every process. */
  readonly processes: readonly string[] | null;
  readonly severity: Severity | null;
  readonly type: AlertType | null;
  /** Those that are muted, instead of those that are not. */
  readonly muted: boolean;
  readonly now: Date;
}

/** When the alerts were looked at last, and what the score is weighed by. */
export interface AlertState {
  readonly evaluatedAt: Date | null;
  readonly evaluatedBlock: number | null;
  readonly complete: boolean;
  readonly activeLots: number;
  readonly narration: string | null;
  readonly narratedBy: string | null;
  readonly narratedAt: Date | null;
  /** Digest of the figures that it words. */
  readonly narratedOf: string | null;
}

/** What stands, for who reads it and takes note of it. */
export abstract class Alerts {
  /** How many there are, by what they say. */
  abstract sums(tx: TenantTx, filter: AlertFilter): Promise<readonly StandingGroup[]>;
  /** The worst and newest first. @param after severity's rank, detection time and id of the last one seen */
  abstract page(tx: TenantTx, filter: AlertFilter, after: readonly string[] | null, limit: number): Promise<readonly StandingAlert[]>;
  /** A few ids of each group, the worst first. */
  abstract examples(
    tx: TenantTx,
    filter: AlertFilter,
    groups: readonly { readonly type: string; readonly group: string }[],
    most: number,
  ): Promise<readonly (readonly string[])[]>;
  /** How far the rounds are, and what was worded of their figures. */
  abstract state(tx: TenantTx): Promise<AlertState>;
  /** Live active lots of some wallets. */
  abstract activeLotsOf(tx: TenantTx, wallets: readonly string[]): Promise<number>;
  /** One that stands. @param orgId only where it is this organisation's business */
  abstract byId(tx: TenantTx, id: string, orgId: string | null): Promise<StandingAlert | null>;
  /** @param acknowledgement null takes it back */
  abstract acknowledge(tx: TenantTx, id: string, acknowledgement: Acknowledgement | null): Promise<void>;
  /** @param narration its `of` is the digest of the figures that it words; empty = ask again */
  abstract narrated(
    tx: TenantTx,
    narration: { readonly text: string | null; readonly model: string | null; readonly of: string; readonly at: Date },
  ): Promise<void>;
}

/** What a tenant set itself. */
export abstract class AlertLimits {
  /** By name; what it left to the defaults is not there. */
  abstract own(tx: TenantTx): Promise<Readonly<Record<string, number>>>;
  /** Null takes a limit back. */
  abstract set(tx: TenantTx, limits: Readonly<Record<string, number | null>>, by: string, at: Date): Promise<void>;
}
