import { pointerNames } from '#kernel';
/** An event whose values are by the pointers that its process map calls public. */
export interface HiddenRow {
  readonly values: Readonly<Record<string, unknown>>;
  /** Pointers that the process map keeps for authorities. */
  readonly hidden: readonly string[];
}

const HIDDEN = Symbol('for authorities');

/**
 * What a map calls public as a whole may contain what it keeps for authorities: the narrower rule counts. The values are changed in place:
 * copying them for each pointer would take the product of both, and a tenant chooses both.
 */
export function withoutHidden<Row extends HiddenRow>({ hidden, values, ...rest }: Row): Omit<Row, 'hidden'> {
  const secrets = new Set(hidden);
  const kept = new Map(Object.entries(values).filter(([pointer]) => !placesAround(pointer).some((place) => secrets.has(place))));
  const shortened = new Set<unknown[]>();
  for (const secret of secrets)
    for (const place of placesAround(secret))
      if (kept.has(place)) cut(kept.get(place), pointerNames(secret.slice(place.length)), shortened);
  // Items leave their lists at the end, since the pointers count the items that were there before.
  for (const list of shortened) {
    const left = list.filter((item) => item !== HIDDEN);
    list.length = 0;
    for (const item of left) list.push(item);
  }
  return { ...rest, values: Object.fromEntries(kept) } as unknown as Omit<Row, 'hidden'>;
}

/** A pointer and those to the values around it. */
function placesAround(pointer: string): string[] {
  const places: string[] = [];
  for (let end = pointer.length; end > 0; end = pointer.lastIndexOf('/', end - 1)) places.push(pointer.slice(0, end));
  return places;
}

function cut(value: unknown, path: readonly string[], shortened: Set<unknown[]>): void {
  let here = value;
  for (const [i, name] of path.entries()) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, name)) return;
    const holder = here as Record<string, unknown>;
    if (i < path.length - 1) here = holder[name];
    else if (!Array.isArray(here)) delete holder[name];
    else if (name !== 'length') {
      here[Number(name)] = HIDDEN;
      shortened.add(here);
    }
  }
}
