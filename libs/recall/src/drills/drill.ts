import { spreadsheetText } from '#kernel';
import type { Reconciliation } from '../impact/impact.rules.js';

/** What a drill found on one way. */
interface Traced {
  readonly lots: number;
  readonly depth: number;
  readonly truncated: boolean;
}

/** Key data elements that an event of the drill should have and does not. */
interface MissingKde {
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
  /** Null where not everything could be counted. */
  readonly estimatedUnits: number | null;
  readonly elapsedMs: number;
  readonly parts: Readonly<Record<DrillPart, number | null>>;
}

const DRILL_PARTS = ['traceBack', 'traceForward', 'massBalance', 'kde', 'custodians', 'time'] as const;
type DrillPart = (typeof DRILL_PARTS)[number];

/** A mock recall (BRCGS 3.9, docs/spec/domain.md#recall): it changes nothing and keeps a report. */
export interface Drill {
  readonly id: string;
  readonly tokenId: bigint;
  readonly tlc: string;
  readonly drawn: boolean;
  readonly startedAt: Date;
  readonly startedBy: string;
  /** Whether the holders are to acknowledge it. */
  readonly asks: boolean;
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
 * How complete the drill is, part by part from 0 to 1, and as a score from 0 to 100. A part that cannot be judged (no mass, no key data
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

/** A drill as rows of (section, item, value, unit), RFC 4180; a cell that a spreadsheet would read as a formula is escaped. */
export function drillCsv({ id, tokenId, tlc, drawn, startedAt, startedBy, score, report }: Drill): string {
  const { traceBack, traceForward, massBalance, kde, custodians, estimatedUnits, elapsedMs, parts } = report;
  const rows: (readonly (string | number | boolean | null)[])[] = [
    ['section', 'item', 'value', 'unit'],
    ['drill', 'id', id, ''],
    ['drill', 'tokenId', Number(tokenId), ''],
    ['drill', 'tlc', tlc, ''],
    ['drill', 'drawn', drawn, ''],
    ['drill', 'startedAt', startedAt.toISOString(), ''],
    ['drill', 'startedBy', startedBy, ''],
    ['drill', 'elapsed', elapsedMs, 'ms'],
    ['drill', 'score', score, 'of 100'],
    ...DRILL_PARTS.map((part) => ['score', part, parts[part], 'of 1'] as const),
    ...Object.entries(traceBack).map(([item, value]) => ['traceBack', item, value, ''] as const),
    ...Object.entries(traceForward).map(([item, value]) => ['traceForward', item, value, ''] as const),
    ...Object.entries(massBalance).map(([item, value]) => ['massBalance', item, value, unitOf(item)] as const),
    ['recall', 'estimatedUnits', estimatedUnits, 'units'],
    ['kde', 'events', kde.events, ''],
    ['kde', 'complete', kde.complete, ''],
    ...kde.missing.flatMap(({ eventId, missing }) => missing.map((pointer) => ['kde missing', eventId, pointer, ''] as const)),
    ['custodians', 'total', custodians.total, ''],
    ...custodians.unreachable.map((address) => ['custodians', 'unreachable', address, ''] as const),
  ];
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

const unitOf = (item: string): string => (item.endsWith('Kg') ? 'kg' : item.endsWith('Percent') ? '%' : '');

function cell(value: string | number | boolean | null): string {
  if (typeof value !== 'string') return value === null ? '' : String(value);
  const text = spreadsheetText(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
