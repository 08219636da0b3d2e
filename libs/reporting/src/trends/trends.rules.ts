import { type Figure, figure, ratio } from '../reports/report.js';

export const INTERVALS = ['day', 'week', 'month'] as const;
export type Interval = (typeof INTERVALS)[number];

/** What was recorded, moved and recalled; `yield` is null without a measured transformation. */
type Totals = Counted & { readonly yield: number | null };
interface Period extends Totals {
  readonly start: string;
}

type Sums<Name extends keyof Counted> = { readonly start: string } & Readonly<Record<Name, Figure>>;
export type EventSums = Sums<'events' | 'lots' | 'recordedKg' | 'unweighedEvents' | 'inputKg' | 'mainOutputKg'>;
export type TransferSums = Sums<'transfers' | 'rejectedTransfers'>;
export type RecallSums = Sums<'recalls' | 'recalledLots'>;

const NOTHING = {
  events: 0,
  lots: 0,
  recordedKg: 0,
  unweighedEvents: 0,
  inputKg: 0,
  mainOutputKg: 0,
  transfers: 0,
  rejectedTransfers: 0,
  recalls: 0,
  recalledLots: 0,
};
type Counted = typeof NOTHING;

/** One row for each period in which something happened, the newest first. */
export function trendRows(sums: readonly (EventSums | TransferSums | RecallSums)[]): readonly Period[] {
  const periods = new Map<string, Counted>();
  for (const { start, ...figures } of sums) periods.set(start, plus(periods.get(start) ?? NOTHING, figures));
  return [...periods]
    .toSorted(([a], [b]) => (a < b ? 1 : -1))
    .map(([start, counted]) => ({ start, ...counted, yield: ratio(counted.mainOutputKg, counted.inputKg) }));
}

/** Over all periods. Sums are divided, ratios are not averaged. */
export function trendTotals(rows: readonly Period[]): Totals {
  const all = rows.reduce<Counted>(plus, NOTHING);
  return { ...all, yield: ratio(all.mainOutputKg, all.inputKg) };
}

const plus = (sum: Counted, more: Partial<Record<keyof Counted, Figure>>): Counted =>
  Object.fromEntries(
    Object.entries(sum).map(([name, value]) => [name, figure(value + (figure(more[name as keyof Counted]) ?? 0))!]),
  ) as Counted;
