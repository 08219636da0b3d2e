import type { Reconciliation } from './impact.js';

/** What a drill found on one way. */
export interface Traced {
  readonly lots: number;
  readonly depth: number;
  readonly truncated: boolean;
}

/** A key data element that an event of the trace should carry and does not. */
export interface MissingKde {
  readonly eventId: string;
  readonly processType: string | null;
  readonly missing: readonly string[];
}

export interface DrillReport {
  readonly traceBack: Traced;
  readonly traceForward: Traced;
  /** Of the lots reached and the lot itself. */
  readonly massBalance: Reconciliation & { readonly unmeasuredLots: number };
  readonly kde: { readonly events: number; readonly complete: number; readonly missing: readonly MissingKde[] };
  /** Custodians whom nobody knows by name: nobody to call. */
  readonly custodians: { readonly total: number; readonly unreachable: readonly string[] };
  readonly estimatedUnits: number;
  readonly elapsedMs: number;
  readonly parts: Readonly<Record<DrillPart, number | null>>;
}

export const DRILL_PARTS = ['traceBack', 'traceForward', 'massBalance', 'kde', 'custodians', 'time'] as const;
export type DrillPart = (typeof DRILL_PARTS)[number];

/** A mock recall (BRCGS 3.9, domain-decisions §3): nothing changes, the report stands. */
export interface Drill {
  readonly id: string;
  readonly tokenId: bigint;
  readonly tlc: string;
  readonly drawn: boolean;
  readonly startedAt: Date;
  readonly startedBy: string;
  /** 0 to 100. */
  readonly score: number;
  readonly report: DrillReport;
}

const WEIGHTS: Readonly<Record<DrillPart, number>> = {
  traceBack: 0.2,
  traceForward: 0.2,
  massBalance: 0.25,
  kde: 0.15,
  custodians: 0.15,
  time: 0.05,
};
/** "Result within four hours" (BRCGS 3.9). */
const IN_TIME_MS = 4 * 3_600_000;
/** Bulk goods are accounted for between 95 and 105 percent; beyond, the part falls to nothing at 50 and 150. */
const TOLERANCE = 5;

/**
 * How good the trace is, part by part from 0 to 1, and as a score from 0 to 100. A part that cannot be judged (no mass, no key data
 * element asked for) is null and takes no part.
 */
export function judged(found: Omit<DrillReport, 'parts'>): { readonly score: number; readonly parts: DrillReport['parts'] } {
  const { accountedPercent } = found.massBalance;
  const off = accountedPercent === null ? null : Math.max(0, Math.abs(accountedPercent - 100) - TOLERANCE);
  const parts: Record<DrillPart, number | null> = {
    traceBack: found.traceBack.truncated ? 0 : 1,
    traceForward: found.traceForward.truncated ? 0 : 1,
    massBalance: off === null ? null : Math.max(0, 1 - off / (50 - TOLERANCE)),
    kde: found.kde.events === 0 ? null : found.kde.complete / found.kde.events,
    custodians: found.custodians.total === 0 ? null : 1 - found.custodians.unreachable.length / found.custodians.total,
    time: found.elapsedMs <= IN_TIME_MS ? 1 : 0,
  };
  const known = DRILL_PARTS.filter((part) => parts[part] !== null);
  const weight = known.reduce((sum, part) => sum + WEIGHTS[part], 0);
  const score = known.reduce((sum, part) => sum + WEIGHTS[part] * parts[part]!, 0) / weight;
  return {
    score: Math.round(score * 1000) / 10,
    parts: Object.fromEntries(DRILL_PARTS.map((part) => [part, rounded(parts[part])])) as typeof parts,
  };
}

const rounded = (value: number | null): number | null => (value === null ? null : Math.round(value * 1e6) / 1e6);
