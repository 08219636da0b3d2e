import { type Problem, escapePointer } from '#kernel';

/** An alert limit that a tenant may set. Durations are in seconds. */
interface Limit {
  readonly default: number;
  readonly min: number;
  readonly max: number;
  readonly sentence: string;
}

const DAY = 86_400;

/**
 * Defaults of docs/spec/domain.md#alerts, used if the process map sets nothing. `expiringSoonWithinSeconds`,
 * `custodyAcceptWithinSeconds`, `lateAfterSeconds` and `massBalanceTolerance` can be set by a map's `defaults`, which win.
 */
export const LIMITS = {
  expiringSoonWithinSeconds: {
    default: 14 * DAY,
    min: 0,
    max: 3_660 * DAY,
    sentence: 'A lot is reported as expiring this long before its date.',
  },
  custodyAcceptWithinSeconds: {
    default: 72 * 3_600,
    min: 60,
    max: 366 * DAY,
    sentence: 'A transfer may wait this long for an answer.',
  },
  lateAfterSeconds: {
    default: DAY,
    min: 60,
    max: 366 * DAY,
    sentence: 'An event is late when it is recorded this long after it happened.',
  },
  massBalanceTolerance: { default: 0.02, min: 0, max: 1, sentence: 'Share of the input that may be unaccounted for.' },
  overConsumptionShare: {
    default: 0.000001,
    min: 0,
    max: 1,
    sentence: 'Share of a lot by which its uses may exceed its quantity (rounding).',
  },
  yieldScore: { default: 3.5, min: 1, max: 100, sentence: 'A yield is an outlier beyond this modified z-score of its process.' },
  yieldEvents: { default: 8, min: 3, max: 1_000, sentence: 'Outliers are only reported for processes with this many yields.' },
  futureSeconds: { default: 300, min: 0, max: DAY, sentence: 'An event may be dated this far after its recording.' },
  txStuckAfterSeconds: { default: 1_800, min: 60, max: 30 * DAY, sentence: 'A tracked transaction may stay open this long.' },
  txFailedWithinSeconds: { default: 7 * DAY, min: 3_600, max: 366 * DAY, sentence: 'A failed transaction is reported for this long.' },
  unsubmittedAfterSeconds: { default: DAY, min: 60, max: 366 * DAY, sentence: 'A prepared event may wait this long for its transaction.' },
  footprintCoverage: { default: 0.8, min: 0, max: 1, sentence: 'Least share of the mass of a finished good with a declared footprint.' },
  webhookFailures: { default: 5, min: 1, max: 100, sentence: 'Number of failed deliveries in a row that is reported.' },
  plotAreaHa: { default: 4, min: 0, max: 1_000, sentence: 'A plot above this area needs a polygon.' },
  coordinateDecimals: { default: 6, min: 0, max: 15, sentence: 'Least number of decimals of plot coordinates.' },
  plotAreaTolerance: {
    default: 0.2,
    min: 0,
    max: 100,
    sentence: 'Share of the declared area of a plot by which its polygon may be larger or smaller.',
  },
} as const satisfies Readonly<Record<string, Limit>>;

type LimitName = keyof typeof LIMITS;
export type Thresholds = Readonly<Record<LimitName, number>>;
export const LIMIT_NAMES = Object.keys(LIMITS) as LimitName[];

export const DEFAULT_THRESHOLDS: Thresholds = Object.fromEntries(LIMIT_NAMES.map((name) => [name, LIMITS[name].default])) as never;

/** @param own what the tenant set; unknown names are ignored: a newer version may have written them */
export const thresholdsOf = (own: Readonly<Record<string, number>>): Thresholds =>
  Object.fromEntries(LIMIT_NAMES.map((name) => [name, Object.hasOwn(own, name) ? own[name]! : LIMITS[name].default])) as never;

/** Problems of limits that a tenant wants to set. */
export const limitProblems = (limits: Readonly<Record<string, unknown>>): readonly Problem[] =>
  Object.entries(limits).flatMap(([name, value]): Problem[] => {
    const pointer = `/limits/${escapePointer(name)}`;
    if (!Object.hasOwn(LIMITS, name))
      return [{ pointer, code: 'unknown_limit', message: `${name} is not a limit. Limits are ${LIMIT_NAMES.join(', ')}.` }];
    const { min, max } = LIMITS[name as LimitName];
    if (value === null || (typeof value === 'number' && value >= min && value <= max)) return [];
    return [{ pointer, code: 'out_of_range', message: `${name} must be a number from ${min} to ${max}, or null.` }];
  });
