import { atPointer, kilogramsPer } from '#kernel';
import { Decimal } from 'decimal.js';
import { asQuantity } from './event-reading.js';
import type { EventLine } from './projection-event.js';
import type { AssetType, Process, ProcessMapDocument } from './process-map.js';
import { convert, massKg } from './quantity.js';

/** Kilograms as decimals of six places; null where a quantity has no mass. */
export interface MassSums {
  readonly inputKg: string | null;
  readonly mainOutputKg: string | null;
  readonly coProductKg: string | null;
}

type AssetTypes = Readonly<Record<string, Pick<AssetType, 'massPerUnitKg'>>>;

/**
 * Sums of what went in and came out of an event that makes lots (domain-decisions §6.5): what it drew, not what the lots were;
 * a creation drew nothing. Null for an event that makes none, or that packs: containers weigh nothing of their own.
 */
export function massSums(
  event: { readonly containmentMode: number; readonly inputs: readonly EventLine[]; readonly outputs: readonly EventLine[] },
  assetTypes: AssetTypes,
): MassSums | null {
  if (event.containmentMode !== 0 || event.outputs.length === 0) return null;
  const drawn = event.inputs.filter((line) => line.consumption !== 'none');
  const [main, ...others] = event.outputs.map((line) => kilograms(line, assetTypes));
  return { inputKg: total(drawn.map((line) => kilograms(line, assetTypes))), mainOutputKg: total([main!]), coProductKg: total(others) };
}

function kilograms({ quantity, uom, assetType }: EventLine, assetTypes: AssetTypes): Decimal | null {
  if (quantity === null || quantity === undefined || !uom) return null;
  const known = assetType && Object.hasOwn(assetTypes, assetType) ? assetTypes[assetType]!.massPerUnitKg : undefined;
  const each = kilogramsPer(uom, known);
  return each && new Decimal(quantity).times(each);
}

const total = (parts: readonly (Decimal | null)[]): string | null =>
  parts.some((part) => part === null)
    ? null
    : parts.reduce<Decimal>((sum, part) => sum.plus(part!), new Decimal(0)).toFixed(6, Decimal.ROUND_HALF_EVEN);

/** What a process says about yields: the expected range, and the tolerance of its mass balance; null where it says nothing. */
export interface MassRules {
  readonly yieldMin: number | null;
  readonly yieldMax: number | null;
  readonly tolerance: number | null;
}

export const massRules = (
  process: Pick<Process, 'yield' | 'massBalance'>,
  defaults: ProcessMapDocument['defaults'] | undefined,
): MassRules => ({
  yieldMin: process.yield?.min ?? null,
  yieldMax: process.yield?.max ?? null,
  tolerance: process.massBalance?.mode === 'mass' ? (process.massBalance.tolerance ?? defaults?.massBalanceTolerance ?? 0.02) : null,
});

/** Kilograms that an event says were lost; 0 where it says nothing, null where a loss has no mass or another shape. */
export function declaredLossKg(metadata: unknown, pointer: string): string | null {
  const lines = atPointer(metadata, pointer);
  if (lines === undefined || lines === null) return total([]);
  if (!Array.isArray(lines)) return null;
  return total(
    lines.map((line: unknown) => {
      const quantity = asQuantity((line as { readonly quantity?: unknown } | null)?.quantity);
      const converted = quantity && convert(quantity, 'KGM');
      return converted && 'micro' in converted ? massKg(converted.micro, 'KGM', undefined) : null;
    }),
  );
}
