/** A figure as the driver gives it. */
export type Figure = string | number | null;

export const figure = (value: Figure): number | null => (value === null ? null : Number(value));
