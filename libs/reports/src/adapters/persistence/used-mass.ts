import { kilogramsPer } from '#kernel';
import type { MapRules } from '../../domain/alerts/circumstances.js';

/** As events keep them. */
export interface UsedInput {
  readonly tokenId: number;
  readonly quantity: number | string | null;
  readonly uom: string | null;
}

/** Kilograms that an event drew from a lot; null where its unit has no mass or nothing is said of the quantity. */
export function usedMass(
  lot: { readonly tokenId: number; readonly assetType: string | null },
  inputs: readonly UsedInput[],
  map: MapRules | null,
): number | null {
  const drawn = inputs.find((input) => Number(input.tokenId) === lot.tokenId);
  const unit = drawn?.uom ? kilogramsPer(drawn.uom, map?.assetTypes.get(lot.assetType ?? '')?.massPerUnitKg ?? undefined) : null;
  const quantity = drawn?.quantity ?? null;
  return unit === null || quantity === null ? null : unit.times(quantity).toNumber();
}
