import { distance } from 'fastest-levenshtein';

/** The known name nearest to a mistyped one: at most two edits away, and fewer than the name is long. */
export function closest(name: string, known: Iterable<string>): string | null {
  let best: { readonly name: string; readonly edits: number } | null = null;
  for (const candidate of known) {
    // At least as many edits as the lengths differ; asked first, since the distance of long names takes long.
    if (Math.abs(name.length - candidate.length) > 2) continue;
    const edits = distance(name, candidate);
    if (edits > 0 && edits <= 2 && edits < name.length && (best === null || edits < best.edits)) best = { name: candidate, edits };
  }
  return best?.name ?? null;
}
