import { atPointer, isObject } from '../values/canonical-json.js';

/** A line of an event, as it was recorded. */
interface NamedLine {
  readonly tokenId: number | null;
  readonly quantity: number | string | null;
  readonly uom: string | null;
}

/** A lot right after an event. */
interface LotState {
  readonly tlc: string;
  readonly remaining: string | null;
  readonly uom: string | null;
}

/** How much of a lot an event is about; null where nobody knows. */
interface QuantityThen {
  readonly quantity: number | string | null;
  readonly uom: string | null;
}

/** An event, as far as it says how much of its lots it is about. */
export interface QuantityWords {
  readonly metadata: object | null;
  /** Where its process keeps well-known values. */
  readonly fields: Readonly<Record<string, string>>;
  readonly inputs: readonly Pick<NamedLine, 'tokenId'>[];
  readonly outputs: readonly unknown[];
}

/**
 * How much of a lot an event is about, the same in every report and export (docs/spec/domain.md#lots-at-an-event): what it used or made of
 * it; else what it states of it; else all that there was right after it.
 * @param state the lot right after the event; undefined for one that nobody knows
 */
export function quantityThen(event: QuantityWords, line: NamedLine, state: LotState | undefined): QuantityThen {
  if (Number(line.quantity ?? 0) > 0) return { quantity: line.quantity, uom: line.uom };
  const stated = statedOf(event, line.tokenId, state?.tlc ?? null);
  if (stated) return stated;
  return state ? { quantity: state.remaining, uom: state.remaining === null ? null : state.uom } : { quantity: null, uom: line.uom };
}

/** Of a lot among `inputs[]`; the quantity of an event that is about one lot is that lot's. */
function statedOf({ metadata, fields, inputs, outputs }: QuantityWords, tokenId: number | null, tlc: string | null): QuantityThen | null {
  const lines = atPointer(metadata, fields['inputs'] ?? '/inputs');
  const named = Array.isArray(lines) ? lines.filter(isObject) : [];
  // Parts of a lot have one code: a line with a token id is about that one only.
  const line =
    named.find((one) => one['tokenId'] === tokenId) ??
    named.find((one) => (one['tokenId'] ?? null) === null && tlc !== null && one['tlc'] === tlc);
  const ofLine = amountOf(line?.['quantity']);
  if (ofLine) return ofLine;
  const alone = outputs.length === 0 && inputs.length === 1 && inputs[0]!.tokenId === tokenId;
  return alone ? amountOf(atPointer(metadata, fields['quantity'] ?? '/quantity')) : null;
}

function amountOf(value: unknown): QuantityThen | null {
  if (!isObject(value)) return null;
  const { value: quantity, uom } = value;
  return typeof quantity === 'number' && quantity > 0 && typeof uom === 'string' ? { quantity, uom } : null;
}
