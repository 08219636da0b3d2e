/** Text of an HTML page, already safe. */
export class Html {
  constructor(readonly text: string) {}
}

const SAFE: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
/** What no XML may hold (XML 1.0, §2.2), an SVG with it is none; nor does it say anything on a page. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const UNWRITABLE = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\uFFFE\uFFFF]/g;
export const escaped = (text: string): string => text.replaceAll(UNWRITABLE, '').replaceAll(/[&<>"']/g, (c) => SAFE[c]!);

/** Words of somebody else, in whatever direction they are written: they turn nothing around them. */
export const theirs = (text: string): Html => html`<bdi>${text}</bdi>`;

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
