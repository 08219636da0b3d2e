import { fromMicro, kilogramsPer, toMicro, unitFactor, atPointer } from '#kernel';
import { Decimal } from 'decimal.js';
import { type Quantity, asQuantity, type Issue, fault, inMetadata } from '../../process-maps/event-reading.js';
import type { NamedInput } from './event-lots.rules.js';
import { ALL } from '../../lots/lot.js';
import type { Process, AssetType, ProcessMapDocument } from '../../process-maps/process-map.js';
import type { Line } from '../event-record.js';

const MAX_MICRO = 1n << 53n;

type Conversion = { readonly micro: bigint } | { readonly fault: 'unit_not_convertible' | 'quantity_out_of_range' };

/**
 * Millionths of `uom` for a stated quantity: stated with at most six decimals and below 2^53 millionths, converted by the exact
 * factor and rounded half to even at the sixth decimal (a pound is 0.45359237 kg).
 */
export function convert(quantity: Quantity, uom: string): Conversion {
  const stated = toMicro(quantity.value);
  if (stated === null) return { fault: 'quantity_out_of_range' };
  const factor = unitFactor(quantity.uom, uom);
  if (factor === null) return { fault: 'unit_not_convertible' };
  const micro = BigInt(new Decimal(stated.toString()).times(factor).toFixed(0, Decimal.ROUND_HALF_EVEN));
  return micro > 0n && micro < MAX_MICRO ? { micro } : { fault: 'quantity_out_of_range' };
}

/** Kilograms of a quantity, or null where neither its unit nor the asset type gives them. */
export function massKg(micro: bigint, uom: string, massPerUnitKg: number | undefined): Decimal | null {
  const each = kilogramsPer(uom, massPerUnitKg);
  return each && new Decimal(fromMicro(micro)).times(each);
}

export const OUT_OF_RANGE = 'must have at most six decimals and stay below 2^53 millionths';

/** What an event draws from one input, in millionths of the lot's own unit: 0 = observed or contained, ALL = an unmeasured lot. */
export interface Draw {
  readonly input: NamedInput;
  readonly amount: bigint;
}

/**
 * What each input gives (docs/spec/api.md#events-and-transactions, "Partial use"): the quantity stated for it, converted to the lot's own unit; all that
 * remains where none is stated.
 */
export function draws(process: Process, inputs: readonly NamedInput[], issues: Issue[]): Draw[] {
  const takes =
    process.kind !== 'observation' && process.kind !== 'transfer' && ['full', 'partial', 'retired'].includes(process.inputs.consumption);
  return inputs.map((input) => ({ input, amount: takes && input.lot ? drawFrom(process, input, issues) : 0n }));
}

function drawFrom(process: Process, { lot, line, pointer }: NamedInput, issues: Issue[]): bigint {
  const { remaining, uom, tlc } = lot!;
  const stated = line?.quantity ?? null;
  const at = line ? inMetadata(`${line.pointer}/quantity`) : pointer;
  const all = remaining ?? ALL;
  if (stated === null) return all;
  if (remaining === null || uom === null) {
    issues.push(fault(at, 'lot_unmeasured', `lot ${tlc} has no quantity, so it can only be used whole: name it without one`));
    return ALL;
  }
  const converted = convert(stated, uom);
  if ('fault' in converted) {
    issues.push(
      converted.fault === 'unit_not_convertible'
        ? fault(`${at}/uom`, 'unit_not_convertible', `${stated.uom} does not convert to ${uom}, the unit of lot ${tlc}`)
        : fault(`${at}/value`, 'quantity_out_of_range', OUT_OF_RANGE),
    );
    return all;
  }
  if (converted.micro > remaining)
    issues.push(fault(`${at}/value`, 'over_consumption', `lot ${tlc} has ${fromMicro(remaining)} ${uom} left`));
  else if (process.inputs.consumption === 'full' && converted.micro < remaining)
    issues.push(fault(`${at}/value`, 'must_use_whole', `this process uses lots whole, and ${tlc} has ${fromMicro(remaining)} ${uom}`));
  return converted.micro;
}

/** Kilograms as decimals of six places; null where a quantity has no mass. */
interface MassSums {
  readonly inputKg: string | null;
  readonly mainOutputKg: string | null;
  readonly coProductKg: string | null;
}

type AssetTypes = Readonly<Record<string, Pick<AssetType, 'massPerUnitKg'>>>;

/**
 * Sums of what went in and came out of an event that makes lots (docs/spec/domain.md#yield): what it drew, not what the lots were;
 * a creation drew nothing. Null for an event that makes none, or that packs: containers weigh nothing of their own.
 */
export function massSums(
  event: { readonly containmentMode: number; readonly inputs: readonly Line[]; readonly outputs: readonly Line[] },
  assetTypes: AssetTypes,
): MassSums | null {
  if (event.containmentMode !== 0 || event.outputs.length === 0) return null;
  const drawn = event.inputs.filter((line) => line.consumption !== 'none');
  const [main, ...others] = event.outputs.map((line) => kilograms(line, assetTypes));
  return { inputKg: total(drawn.map((line) => kilograms(line, assetTypes))), mainOutputKg: total([main!]), coProductKg: total(others) };
}

function kilograms({ quantity, uom, assetType }: Line, assetTypes: AssetTypes): Decimal | null {
  if (quantity === null || quantity === undefined || !uom) return null;
  const known = assetType && Object.hasOwn(assetTypes, assetType) ? assetTypes[assetType]!.massPerUnitKg : undefined;
  const each = kilogramsPer(uom, known);
  return each && new Decimal(quantity).times(each);
}

const total = (parts: readonly (Decimal | null)[]): string | null =>
  parts.some((part) => part === null)
    ? null
    : parts.reduce<Decimal>((sum, part) => sum.plus(part!), new Decimal(0)).toFixed(6, Decimal.ROUND_HALF_EVEN);

/** What a process expects of yields: the expected range, and the tolerance of its mass balance; null where it gives none. */
interface MassRules {
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

/** Kilograms that an event declares as lost; 0 where it declares nothing, null where a loss has no mass or another shape. */
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
