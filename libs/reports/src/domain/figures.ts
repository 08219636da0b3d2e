/** A figure as the database gives it; null where there is none. */
export type Figure = string | number | null;

/** Six decimals are what quantities and ratios have (domain-decisions §6). Never NaN: what is no number is null. */
export function figure(value: Figure | undefined): number | null {
  if (value === null || value === undefined) return null;
  const number = Number(value);
  return Number.isFinite(number) ? Number(number.toFixed(6)) : null;
}

/** a / b, or null where there is nothing to divide by. */
export function ratio(a: Figure | undefined, b: Figure | undefined): number | null {
  const [over, under] = [figure(a), figure(b)];
  return over === null || under === null || under === 0 ? null : figure(over / under);
}

/** Part of a sum that is known by its parts; null as soon as one is unknown. */
export const sum = (parts: readonly (Figure | undefined)[]): number | null =>
  parts.reduce<number | null>((total, part) => (total === null || figure(part) === null ? null : figure(total + figure(part)!)), 0);
