/** Text of an HTML page, already safe. */
export class Html {
  constructor(readonly text: string) {}
}

const SAFE: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
export const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (c) => SAFE[c]!);

type Part = Html | string | number | null | readonly Part[];

/** Every value that is put in is escaped, unless it was made by this itself. */
export const html = (texts: TemplateStringsArray, ...values: readonly Part[]): Html =>
  new Html(texts.map((text, i) => text + (i < values.length ? written(values[i]!) : '')).join(''));

function written(part: Part): string {
  if (part === null) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'string' || typeof part === 'number') return escaped(String(part));
  return part.map(written).join('');
}
