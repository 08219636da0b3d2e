/** RFC 9110 §12.5.1, as far as media types go: the best of `offered` by quality, then by their order. Null: the client accepts none. */
export function negotiate(accept: string | undefined, offered: readonly string[]): string | null {
  if (accept === undefined || accept.trim() === '') return offered[0] ?? null;
  const ranges = accept.split(',').flatMap(rangeOf);
  const ranked = offered.map((type, i) => ({ type, i, q: qualityOf(type, ranges) })).filter(({ q }) => q > 0);
  return ranked.toSorted((a, b) => b.q - a.q || a.i - b.i)[0]?.type ?? null;
}

interface Range {
  readonly type: string;
  readonly q: number;
}

function rangeOf(part: string): Range[] {
  const [type = '', ...parameters] = part.split(';').map((one) => one.trim().toLowerCase());
  if (!/^[^\s/]+\/[^\s/]+$/.test(type)) return [];
  const q = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1);
  return [{ type, q: Number.isNaN(q) ? 0 : Math.min(1, Math.max(0, q)) }];
}

/** The most exact range that covers it counts. */
function qualityOf(type: string, ranges: readonly Range[]): number {
  const family = `${type.split('/', 1)[0]}/*`;
  for (const name of [type, family, '*/*']) {
    const range = ranges.find((one) => one.type === name);
    if (range) return range.q;
  }
  return 0;
}
