import { fromMicro } from '#kernel';
import type { NamedInput } from './event-lots.js';
import { type Issue, fault, inMetadata } from './issue.js';
import type { Process } from './process-map.js';
import { OUT_OF_RANGE, convert } from './quantity.js';

/** "All of an unmeasured lot" on chain. */
export const ALL = (1n << 256n) - 1n;

/** What an event draws from one input, in millionths of the lot's own unit: 0 = observed or contained, ALL = an unmeasured lot. */
export interface Draw {
  readonly input: NamedInput;
  readonly amount: bigint;
}

/**
 * What each input gives (api-decisions §3, "Partial use"): the quantity stated for it, converted to the lot's own unit; all that
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
