/** Text of an HTML page, already safe. */
export class Html {
  constructor(readonly text: string) {}
}

const SAFE: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
/** Characters that XML does not allow (XML 1.0, §2.2): an SVG with them is invalid, and a page shows nothing for them. */
// oxlint-disable-next-line no-control-regex -- the pattern searches for them
const UNWRITABLE = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\uFFFE\uFFFF]/g;
export const escaped = (text: string): string => text.replaceAll(UNWRITABLE, '').replaceAll(/[&<>"']/g, (c) => SAFE[c]!);

/** Text of a tenant, in any direction of writing: it does not change the direction of the text around it. */
export const theirs = (text: string): Html => html`<bdi>${text}</bdi>`;

type Part = Html | string | number | null | readonly Part[];

/** Escapes every value that is put in, except values that it made itself. */
export const html = (texts: TemplateStringsArray, ...values: readonly Part[]): Html =>
  new Html(texts.map((text, i) => text + (i < values.length ? written(values[i]!) : '')).join(''));

function written(part: Part): string {
  if (part === null) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'string' || typeof part === 'number') return escaped(String(part));
  return part.map(written).join('');
}

/** One style sheet for all pages: phones first, light and dark, and print. No font or script is loaded. */
export const STYLE = `
:root{color-scheme:light dark;--back:#f4f5f2;--card:#fff;--text:#1b1f1a;--soft:#5a6459;--line:#dde1d9;--mark:#2c6e49;--warn:#a61b1b;--warnback:#fdecec;--note:#8a5a00;--noteback:#fff5dd}
@media(prefers-color-scheme:dark){:root{--back:#121512;--card:#1b1f1b;--text:#ecefea;--soft:#a3ada1;--line:#313831;--mark:#7fcf9f;--warn:#ffb4b4;--warnback:#4a1414;--note:#ffd98a;--noteback:#3b2c06}}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--text);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;overflow-wrap:anywhere}
main{max-width:56rem;margin:0 auto;padding:1rem;display:grid;gap:1rem;grid-template-columns:minmax(0,1fr)}
section,header{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:1rem 1.25rem}
h1{font-size:1.5rem;line-height:1.25;margin:.25rem 0}
h2{font-size:1.05rem;margin:0 0 .5rem}
p{margin:.25rem 0}
.prewrap{white-space:pre-line}.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.soft{color:var(--soft);font-size:.9rem}
.state{display:inline-block;border-radius:1rem;padding:.1rem .7rem;font-size:.85rem;font-weight:600;border:1px solid currentColor;color:var(--mark)}
.state.recalled{color:var(--warn)}.state.expired,.state.retired,.state.draft{color:var(--note)}
.alarm{background:var(--warnback);color:var(--warn);border:2px solid currentColor}
.alarm h2{font-size:1.3rem}.alarm p{color:var(--text)}.alarm p.soft:not(:last-child){margin-bottom:1rem}
.note{background:var(--noteback);color:var(--note);border-color:currentColor}.note p{color:var(--text)}
dl{margin:0;display:grid;grid-template-columns:fit-content(34%) minmax(0,1fr);gap:.3rem 1rem}
dt{color:var(--soft)}dd{margin:0}
ol.steps{list-style:none;margin:0;padding:0}
ol.steps li{position:relative;padding:0 0 1rem 1.5rem;border-left:2px solid var(--line);margin-left:.4rem}
ol.steps li:last-child{border-color:transparent;padding-bottom:0}
ol.steps li::before{content:"";position:absolute;left:-.5rem;top:.35rem;width:.8rem;height:.8rem;border-radius:50%;background:var(--mark);border:2px solid var(--card)}
ol.steps b{display:block}
ul{margin:0;padding-left:1.2rem}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:.35rem .5rem .35rem 0;border-bottom:1px solid var(--line);vertical-align:top;font-weight:400}
thead th{color:var(--soft);font-size:.9rem}tr:last-child td,tr:last-child th{border-bottom:0}
td.n,th.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
code{font:.85em/1.4 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
a{color:var(--mark)}
form button{font:inherit;font-weight:600;padding:.6rem 1.4rem;border-radius:.5rem;border:2px solid var(--mark);background:var(--card);color:var(--mark);cursor:pointer}
a:focus-visible,button:focus-visible{outline:3px solid var(--mark);outline-offset:2px}
.picture{display:block;max-width:100%;max-height:18rem;margin:.75rem 0 0;border-radius:.5rem}.logo{display:block;max-width:12rem;max-height:4rem;margin:0 0 .75rem}
.qr{display:block;width:9rem;height:9rem;border-radius:.4rem}
.dm{display:block;width:7rem;height:7rem;border-radius:.4rem}
.map{display:block;width:100%;height:auto;margin:0 0 .75rem;border-radius:.5rem;background:var(--back)}
.map .grid{fill:none;stroke:var(--line)}.map .land{fill:var(--line)}.map .country{fill:var(--soft);fill-opacity:.55}
.map circle{fill:var(--mark);stroke:var(--card);stroke-width:2}.map text{fill:var(--card);font-size:13px;font-weight:700;text-anchor:middle;dominant-baseline:central}
.places{display:grid;gap:.3rem 3rem;margin:0;padding-left:1.5rem}
.ids{display:flex;gap:1.25rem;align-items:center;flex-wrap:wrap}.ids dl{flex:1 1 14rem}
footer{color:var(--soft);font-size:.85rem;text-align:center;padding:.5rem 1rem 1.5rem}
@media(min-width:44rem){main{padding:1.5rem;grid-template-columns:minmax(0,1fr) minmax(0,1fr)}.wide{grid-column:1/-1}.places{grid-template-columns:repeat(2,minmax(0,1fr))}h1{font-size:1.9rem}}
@media print{body{background:#fff}section,header{break-inside:avoid}}
`.replaceAll('\n', '');

/** Content-Security-Policy of a page: nothing is loaded and nothing runs, whatever somebody may have written. */
export const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";
