import type { Process } from '../process-maps/process-map.js';

/** The set of EN 15804 and PACT, each in one unit (docs/spec/domain.md#footprint, "Units"). */
export const INDICATORS = ['carbon', 'water', 'energy', 'waste'] as const;
export type Indicator = (typeof INDICATORS)[number];
export const UNITS: Readonly<Record<Indicator, string>> = { carbon: 'kgCO2e', water: 'm3', energy: 'MJ', waste: 'kg' };

const FACTORS: Readonly<Record<Indicator, Readonly<Record<string, number>>>> = {
  carbon: { gCO2e: 0.001, kgCO2e: 1, tCO2e: 1000 },
  water: { L: 0.001, m3: 1, ML: 1000 },
  energy: { MJ: 1, kWh: 3.6, MWh: 3600, GJ: 1000 },
  waste: { g: 0.001, kg: 1, t: 1000 },
};

/** The parts of a carbon impact that are kept apart. Uptake is zero or negative and outside the total, as PACT v3 has it. */
export const CARBON_PARTS = ['fossil', 'biogenic', 'landUseChange', 'biogenicUptake'] as const;
export type CarbonPart = (typeof CARBON_PARTS)[number];

/** An absolute impact of one event, in the indicator's unit. */
export interface Impact {
  readonly value: number;
  /** Measured by the company that recorded it, or given by the supplier. */
  readonly primary: boolean;
  readonly parts: Readonly<Partial<Record<CarbonPart, number>>>;
}

/** What an event says of its impacts. */
export interface Declaration {
  readonly impacts: Readonly<Partial<Record<Indicator, Impact>>>;
  readonly cradle: boolean;
  readonly gwp: string | null;
  readonly standard: string | null;
}

const DEFAULT_POINTER = '/footprint';

/** Where a process keeps its footprint block, and each indicator: the reserved key, unless the map says otherwise. */
export function footprintPointers(process: Process | null): Pointers {
  const known = process === null ? RESERVED : pointersKnown.get(process);
  if (known) return known;
  const pointers = pointersOf(process);
  pointersKnown.set(process!, pointers);
  return pointers;
}

type Pointers = Readonly<Record<Indicator | 'block', string>>;

function pointersOf(process: Process | null): Pointers {
  const block = process?.fields?.footprint ?? DEFAULT_POINTER;
  const listed = new Map(process?.footprint?.indicators.map(({ indicator, path }) => [indicator, path]));
  const at = (indicator: Indicator): string => listed.get(indicator) ?? `${block}/${indicator}`;
  return { block, carbon: at('carbon'), water: at('water'), energy: at('energy'), waste: at('waste') };
}

const RESERVED = pointersOf(null);
/** Many events of a footprint are of one process. */
const pointersKnown = new WeakMap<Process, Pointers>();

/** Indicators that an event of this process should declare: those the map lists, and all for an event that makes lots. */
export function expectedIndicators(process: Process | null, kind: string | null): readonly Indicator[] {
  if (kind === 'creation' || kind === 'transformation') return INDICATORS;
  const listed = new Set(process?.footprint?.indicators.map(({ indicator }) => indicator));
  return INDICATORS.filter((indicator) => listed.has(indicator));
}

/** @param at the metadata at a pointer; undefined where there is nothing */
export function declarationOf(process: Process | null, at: (pointer: string) => unknown): Declaration {
  const pointers = footprintPointers(process);
  const block = membersOf(at(pointers.block));
  const impacts: Partial<Record<Indicator, Impact>> = {};
  for (const indicator of INDICATORS) {
    const impact = impactOf(indicator, membersOf(at(pointers[indicator])));
    if (impact) impacts[indicator] = impact;
  }
  return {
    impacts,
    cradle: (block['boundary'] ?? process?.footprint?.boundary) === 'cradle_to_gate',
    gwp: textOf(block['gwp']),
    standard: textOf(block['standard']),
  };
}

/** Null where there is no number in a known unit: an unreadable value is missing, never zero. */
function impactOf(indicator: Indicator, stated: Readonly<Record<string, unknown>>): Impact | null {
  const factors = FACTORS[indicator];
  const unit = stated['unit'];
  const factor = typeof unit === 'string' && Object.hasOwn(factors, unit) ? factors[unit]! : null;
  const value = stated['value'];
  if (factor === null || typeof value !== 'number' || value < 0) return null;
  const parts: Partial<Record<CarbonPart, number>> = {};
  for (const part of indicator === 'carbon' ? CARBON_PARTS : []) {
    const amount = stated[part];
    if (typeof amount === 'number') parts[part] = amount * factor;
  }
  return { value: value * factor, primary: stated['source'] === 'measured' || stated['source'] === 'supplier', parts };
}

const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
