import { CARBON_PARTS, type CarbonPart, type Declaration, INDICATORS, type Indicator, UNITS } from './footprint-declared.js';
import { type FlowNode, accountOf, flowOf, massReaching, reachOf, type FlowOutput } from './footprint-flow.js';

/** An event of a lot's tree, with what it says of its impacts. */
export interface ImpactSource extends MappedFlow {
  readonly processType: string | null;
  readonly country: string | null;
  readonly declaration: Declaration;
  readonly expected: readonly Indicator[];
}

/** What the figures are about: the lot, or what is in a container. */
export interface Basis {
  readonly massKg: number | null;
  readonly remainingKg: number | null;
  readonly quantity: number | null;
  readonly remaining: number | null;
  readonly uom: string | null;
}

export interface SourceRef {
  readonly eventId: string;
  readonly processType: string | null;
}

/** One indicator of one lot. Null is unknown, never zero; ratios have six decimals, impacts four. */
export interface IndicatorFootprint {
  readonly unit: string;
  /** Of the produced quantity. */
  readonly total: number | null;
  /** Of the remaining quantity. */
  readonly onHand: number | null;
  readonly perKg: number | null;
  readonly perUnit: number | null;
  /** Some events that should have declared it did not, so that it is at least this much. */
  readonly lowerBound: boolean;
  readonly coverage: {
    readonly declared: number;
    readonly expected: number;
    readonly events: number | null;
    readonly mass: number | null;
  };
  readonly primaryDataShare: number | null;
  readonly byProcess: Readonly<Record<string, number>>;
  readonly byCountry: Readonly<Record<string, number>>;
  readonly missing: readonly SourceRef[];
}

/** A burden that was left out of the figures, by indicator. */
type LeftOut = SourceRef & Readonly<Partial<Record<Indicator, number>>>;

export interface Footprint {
  readonly basis: Basis;
  readonly indicators: Readonly<Record<Indicator, IndicatorFootprint>> & {
    readonly carbon: { readonly breakdown: Readonly<Record<CarbonPart, number | null>> };
  };
  readonly method: {
    readonly allocation: 'per process';
    readonly gwp: readonly string[];
    readonly standards: readonly string[];
    readonly engine: 'weighted-average/1';
  };
  /** Carried by inputs of an event whose boundary is `cradle_to_gate`: what of it would have reached the lot. */
  readonly excludedUpstream: readonly LeftOut[];
  /** Declared by events of the tree that could give it to no lot. */
  readonly unallocated: readonly LeftOut[];
}

const UNKNOWN = 'unknown';

/**
 * The footprint of some lots from all events that touch them and what they were made of (docs/spec/domain.md#footprint).
 * @param events in the order in which they count
 * @param held those of the lots that are still there: none of a container that was broken up
 */
export function footprintOf(
  roots: ReadonlySet<bigint>,
  basis: Basis,
  events: readonly ImpactSource[],
  held: ReadonlySet<bigint> = roots,
): Footprint {
  const stages = flowOf(events);
  const all = reachOf(stages, roots, true);
  const left = reachOf(stages, held, false);
  const mass = massReaching(stages, roots);
  const seen = events.flatMap((event, i): Reached[] =>
    all.own[i]! > 0 || mass[i]! > 0 ? [{ event, total: all.own[i]!, onHand: left.own[i]!, mass: mass[i]! }] : [],
  );
  const upstream = Object.fromEntries(INDICATORS.map((key) => [key, accountOf(stages, impactOn(key, events))])) as Accounts;
  return {
    basis,
    indicators: {
      carbon: { ...indicatorOf('carbon', basis, seen), breakdown: breakdownOf(seen) },
      water: indicatorOf('water', basis, seen),
      energy: indicatorOf('energy', basis, seen),
      waste: indicatorOf('waste', basis, seen),
    },
    method: {
      allocation: 'per process',
      gwp: sorted(seen.map(({ event }) => event.declaration.gwp)),
      standards: sorted(seen.map(({ event }) => event.declaration.standard)),
      engine: 'weighted-average/1',
    },
    excludedUpstream: leftOut(events, (key, i) => upstream[key].leftOut[i]! * all.leftOut[i]!),
    unallocated: leftOut(events, (key, i) => upstream[key].unallocated[i]!),
  };
}

type Accounts = Readonly<Record<Indicator, ReturnType<typeof accountOf>>>;

/** An event with the part of its impact, and of its mass in kilograms, that reached the lots. */
interface Reached {
  readonly event: ImpactSource;
  readonly total: number;
  readonly onHand: number;
  readonly mass: number;
}

function impactOn(key: Indicator, events: readonly ImpactSource[]): (event: FlowNode) => number {
  const values = new Map(events.map((event) => [event.id, event.declaration.impacts[key]?.value ?? 0]));
  return (event) => values.get(event.id) ?? 0;
}

function indicatorOf(key: Indicator, basis: Basis, seen: readonly Reached[]): IndicatorFootprint {
  const declaring = seen.filter(({ event }) => event.declaration.impacts[key] !== undefined);
  const expected = seen.filter(({ event }) => event.expected.includes(key));
  const missing = expected.filter(({ event }) => event.declaration.impacts[key] === undefined);
  const value = ({ event, total }: Reached): number => event.declaration.impacts[key]!.value * total;
  const total = declaring.length === 0 ? null : sum(declaring.map(value));
  const onHand = total === null ? null : sum(declaring.map((one) => one.event.declaration.impacts[key]!.value * one.onHand));
  const primary = sum(declaring.filter(({ event }) => event.declaration.impacts[key]!.primary).map(value));
  const weight = sum(expected.map((one) => one.mass));
  return {
    unit: UNITS[key],
    total: rounded(total, 4),
    onHand: rounded(onHand, 4),
    perKg: ratio(total, basis.massKg, 6),
    perUnit: ratio(total, basis.quantity, 6),
    lowerBound: total !== null && missing.length > 0,
    coverage: {
      declared: expected.length - missing.length,
      expected: expected.length,
      events: ratio(expected.length - missing.length, expected.length, 6),
      mass: ratio(weight - sum(missing.map((one) => one.mass)), weight, 6),
    },
    primaryDataShare: ratio(100 * primary, total, 2),
    byProcess: grouped(declaring, ({ event }) => event.processType, value),
    byCountry: grouped(declaring, ({ event }) => event.country, value),
    missing: missing.map(({ event }) => refTo(event)),
  };
}

function breakdownOf(seen: readonly Reached[]): Record<CarbonPart, number | null> {
  const part = (name: CarbonPart): number | null => {
    const stated = seen.flatMap(({ event, total }) => {
      const amount = event.declaration.impacts.carbon?.parts[name];
      return amount === undefined ? [] : [amount * total];
    });
    return stated.length === 0 ? null : rounded(sum(stated), 4);
  };
  return Object.fromEntries(CARBON_PARTS.map((name) => [name, part(name)])) as Record<CarbonPart, number | null>;
}

function leftOut(events: readonly ImpactSource[], amount: (key: Indicator, i: number) => number): LeftOut[] {
  return events.flatMap((event, i) => {
    const amounts = INDICATORS.map((key) => [key, rounded(amount(key, i), 4)] as const).filter(([, value]) => value > 0);
    return amounts.length === 0 ? [] : [{ ...refTo(event), ...(Object.fromEntries(amounts) as Partial<Record<Indicator, number>>) }];
  });
}

function grouped(
  seen: readonly Reached[],
  keyOf: (one: Reached) => string | null,
  value: (one: Reached) => number,
): Record<string, number> {
  const sums = new Map<string, number>();
  for (const one of seen) {
    const key = keyOf(one) ?? UNKNOWN;
    sums.set(key, (sums.get(key) ?? 0) + value(one));
  }
  return Object.fromEntries([...sums].map(([key, amount]) => [key, rounded(amount, 4)]));
}

const refTo = (event: ImpactSource): SourceRef => ({ eventId: event.id, processType: event.processType });

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const sorted = (values: readonly (string | null)[]): string[] => [...new Set(values.filter((value) => value !== null))].toSorted();

const ratio = (of: number | null, by: number | null, digits: number): number | null =>
  of === null || by === null || by === 0 ? null : rounded(of / by, digits);

function rounded<N extends number | null>(value: N, digits: number): N {
  return (value === null ? null : Math.round(value * 10 ** digits) / 10 ** digits) as N;
}

/** An event of a lot's tree, with the process map under which it was recorded; null while its words are unknown. */
export interface MappedFlow extends FlowNode {
  readonly map: string | null;
}

interface LotShare {
  readonly output: FlowOutput;
  /** Part of it that is of known origin; null where a mass that decides is unknown. */
  readonly share: number | null;
}

/**
 * The claim share of some lots (docs/spec/domain.md#footprint, ISO 22095): q(l) = Σ q(i) · mass share of input i. Of known origin is what events of
 * the claiming map made; goods of another map, or of a making that is not known, count as 0. Packing changes nothing.
 * @param events in the order in which they count
 * @returns 0 to 1, six decimals; null where masses that decide are unknown, and for lots of several maps, which have no common claim share
 */
export function claimShareOf(roots: ReadonlySet<bigint>, events: readonly MappedFlow[]): number | null {
  const making = events.filter(({ packs, outputs }) => packs === null && outputs.length > 0);
  const maps = new Set(making.flatMap(({ map, outputs }) => outputs.flatMap(({ tokenId }) => (roots.has(tokenId) ? [map] : []))));
  const [ownMap] = maps;
  if (maps.size !== 1 || !ownMap) return null;
  const lots = new Map<bigint, LotShare>();
  for (const event of making) {
    const used = event.inputs.filter(({ drawn }) => drawn !== 0);
    const made = used.length === 0 ? 1 : mixed(used.map(({ tokenId, drawn }) => partOf(lots.get(tokenId), drawn)));
    const share = event.map === ownMap ? made : 0;
    for (const output of event.outputs) lots.set(output.tokenId, { output, share });
  }
  const share = mixed([...roots].map((root) => partOf(lots.get(root), null)));
  return share === null ? null : Math.round(share * 1e6) / 1e6;
}

interface Part {
  readonly share: number | null;
  readonly massKg: number | null;
}

/** @param drawn millionths of the lot's own unit; null = all of it */
function partOf(lot: LotShare | undefined, drawn: number | null): Part {
  if (!lot) return { share: 0, massKg: null };
  const { quantity, massKg } = lot.output;
  const part = drawn === null ? 1 : quantity === null ? null : drawn / quantity;
  return { share: lot.share, massKg: massKg === null || part === null ? null : massKg * part };
}

/** Parts that are alike need no masses to be added up. */
function mixed(parts: readonly Part[]): number | null {
  const [first, ...others] = parts;
  if (first && others.every(({ share }) => share === first.share)) return first.share;
  let [known, all] = [0, 0];
  for (const { share, massKg } of parts) {
    if (share === null || massKg === null) return null;
    known += share * massKg;
    all += massKg;
  }
  return all === 0 ? null : known / all;
}
