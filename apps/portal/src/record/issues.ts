export interface Issue {
  readonly pointer: string;
  readonly message: string;
  readonly severity: 'error' | 'warning';
}

/** @returns the issues at each place of the page; those without a place under '' */
export function placed(issues: readonly Issue[], places: ReadonlySet<string>): ReadonlyMap<string, readonly Issue[]> {
  const at = new Map<string, Issue[]>();
  for (const issue of issues) {
    let place = issue.pointer;
    while (place !== '' && !places.has(place)) place = place.slice(0, Math.max(0, place.lastIndexOf('/')));
    at.set(place, [...(at.get(place) ?? []), issue]);
  }
  return at;
}

const OUTPUT_CODE = '/outputTlc';

/** A code that is made from other fields is not missing while they are: they are what is asked for. */
export const withoutConsequences = (issues: readonly Issue[], makesCode: boolean): readonly Issue[] =>
  makesCode && issues.some(({ pointer, severity }) => severity === 'error' && pointer !== OUTPUT_CODE)
    ? issues.filter(({ pointer }) => pointer !== OUTPUT_CODE)
    : issues;

/** RFC 6901 */
export const pointerTo = (base: string, key: string | number): string =>
  `${base}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
