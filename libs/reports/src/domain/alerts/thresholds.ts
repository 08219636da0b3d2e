import { type Problem, escapePointer } from '#kernel';

/** A limit of the alerts that a tenant may set. Durations are in seconds. */
interface Limit {
  readonly default: number;
  readonly min: number;
  readonly max: number;
  readonly sentence: string;
}

const DAY = 86_400;

/**
 * What holds where the process map says nothing: domain-decisions §6.1. Of these `expiringSoonWithinSeconds`,
 * `custodyAcceptWithinSeconds`, `lateAfterSeconds` and `massBalanceTolerance` are set by a map's `defaults`, and a map's word wins.
 */
export const LIMITS = {
  expiringSoonWithinSeconds: {
    default: 14 * DAY,
    min: 0,
    max: 3_660 * DAY,
    sentence: 'A lot is told as expiring this long before it expires.',
  },
  custodyAcceptWithinSeconds: {
    default: 72 * 3_600,
    min: 60,
    max: 366 * DAY,
    sentence: 'An offer of custody may wait this long for an answer.',
  },
  lateAfterSeconds: {
    default: DAY,
    min: 60,
    max: 366 * DAY,
    sentence: 'An event is late when it is recorded this long after it happened.',
  },
  massBalanceTolerance: { default: 0.02, min: 0, max: 1, sentence: 'Share of the input that may stay unaccounted for.' },
  overConsumptionShare: { default: 0.000001, min: 0, max: 1, sentence: 'Share of a lot by which its uses may exceed it: rounding.' },
  yieldScore: { default: 3.5, min: 1, max: 100, sentence: 'A yield is an outlier beyond this modified z-score of its process.' },
  yieldEvents: { default: 8, min: 3, max: 1_000, sentence: 'Fewer yields of a process have no outliers.' },
  futureSeconds: { default: 300, min: 0, max: DAY, sentence: 'An event may lie this far after the time of its recording.' },
  txStuckAfterSeconds: { default: 1_800, min: 60, max: 30 * DAY, sentence: 'A tracked transaction may stay open this long.' },
  txFailedWithinSeconds: { default: 7 * DAY, min: 3_600, max: 366 * DAY, sentence: 'A failed transaction is told for this long.' },
  unsubmittedAfterSeconds: { default: DAY, min: 60, max: 366 * DAY, sentence: 'A prepared event may wait this long for its transaction.' },
  footprintCoverage: { default: 0.8, min: 0, max: 1, sentence: 'Least share of mass whose footprint is declared, of a finished good.' },
  webhookFailures: { default: 5, min: 1, max: 100, sentence: 'This many failed deliveries in a row are told.' },
  plotAreaHa: { default: 4, min: 0, max: 1_000, sentence: 'A plot above this area needs a polygon.' },
  coordinateDecimals: { default: 6, min: 0, max: 15, sentence: 'Least number of decimals of a plot’s coordinates.' },
} as const satisfies Readonly<Record<string, Limit>>;

export type LimitName = keyof typeof LIMITS;
export type Thresholds = Readonly<Record<LimitName, number>>;
export const LIMIT_NAMES = Object.keys(LIMITS) as LimitName[];

export const DEFAULT_THRESHOLDS: Thresholds = Object.fromEntries(LIMIT_NAMES.map((name) => [name, LIMITS[name].default])) as never;

/** @param own what the tenant set; unknown names are passed over, since a newer version may have written them */
export const thresholdsOf = (own: Readonly<Record<string, number>>): Thresholds =>
  Object.fromEntries(LIMIT_NAMES.map((name) => [name, Object.hasOwn(own, name) ? own[name]! : LIMITS[name].default])) as never;

/** What is wrong with limits that somebody would set. */
export const limitProblems = (limits: Readonly<Record<string, unknown>>): readonly Problem[] =>
  Object.entries(limits).flatMap(([name, value]): Problem[] => {
    const pointer = `/limits/${escapePointer(name)}`;
    if (!Object.hasOwn(LIMITS, name))
      return [{ pointer, code: 'unknown_limit', message: `There is no limit ${name}; there are ${LIMIT_NAMES.join(', ')}.` }];
    const { min, max } = LIMITS[name as LimitName];
    if (value === null || (typeof value === 'number' && value >= min && value <= max)) return [];
    return [{ pointer, code: 'out_of_range', message: `${name} is a number from ${min} to ${max}, or null.` }];
  });
