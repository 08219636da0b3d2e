/** What an event weighed, in kilograms; null where that is unknown. */
export interface EventMasses {
  readonly inputKg: number | null;
  readonly mainKg: number | null;
  readonly coProductKg: number | null;
  readonly declaredLossKg: number | null;
}

/** What an event took of a lot, in millionths of the lot's unit; null for an unmeasured lot. */
export interface Draw {
  readonly quantity: bigint | null;
  readonly masses: EventMasses | undefined;
}

/** What became of a lot, in kilograms. */
export interface LotUse {
  /** What went into other lots. */
  readonly usedKg: number;
  /** Losses that the events using it declared, by its part of their input. */
  readonly lossKg: number;
  /** What the events using it do not account for, by its part of their input. */
  readonly gapKg: number;
  /** Neither left nor drawn. */
  readonly partRetiredKg: number;
}

/** The lot whose use is added up; quantities in millionths of its unit. */
export interface UsedLot {
  readonly quantity: bigint | null;
  readonly remaining: bigint | null;
  readonly unitKg: number | null;
}

/** @param draws one of each event that used the lot, whatever it made of it */
export function useOf({ quantity, remaining, unitKg }: UsedLot, draws: readonly Draw[]): LotUse {
  const use = { usedKg: 0, lossKg: 0, gapKg: 0, partRetiredKg: 0 };
  if (unitKg === null) return use;
  let drawn = 0n;
  for (const draw of draws) {
    if (draw.quantity === null) continue;
    drawn += draw.quantity;
    const kg = (Number(draw.quantity) / 1e6) * unitKg;
    const { inputKg: input, mainKg: main, coProductKg: co, declaredLossKg: loss } = draw.masses ?? UNKNOWN;
    // An event whose masses are unknown used all that it took.
    use.usedKg += kg * (known(input) && main !== null && co !== null ? (main + co) / input : 1);
    use.lossKg += kg * (known(input) && loss !== null ? loss / input : 0);
    use.gapKg += kg * (known(input) && main !== null && co !== null && loss !== null ? (input - main - co - loss) / input : 0);
  }
  if (quantity !== null && remaining !== null) use.partRetiredKg = Math.max(0, (Number(quantity - remaining - drawn) / 1e6) * unitKg);
  return use;
}

const UNKNOWN: EventMasses = { inputKg: null, mainKg: null, coProductKg: null, declaredLossKg: null };
const known = (input: number | null): input is number => input !== null && input !== 0;
