import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { STYLE } from './style.js';

/**
 * The very code that the command line runs, as the page's own script: what a file imports stands before it, each once and all in one
 * scope. @throws Error where a file imports what does not lie beside it, which a saved page could not have
 */
function inOneScript(file: URL, taken: Set<string>): string {
  if (taken.has(file.href)) return '';
  taken.add(file.href);
  let before = '';
  const own = readFileSync(file, 'utf8')
    .replaceAll(/^import \{[^}]*\} from '(\.\/[a-z0-9-]+\.js)';\n/gm, (_, path: string) => {
      before += inOneScript(new URL(path, file), taken);
      return '';
    })
    .replaceAll(/^export (?=(async )?(function|const) )/gm, '')
    .replaceAll(/^\/\/# sourceMappingURL.*$/gm, '');
  if (/^(import|export)\b/m.test(own)) throw new Error(`${file.href} does not go into one script`);
  return before + own;
}

const CONTROLS = `
const file = document.getElementById('file'), node = document.getElementById('node'), out = document.getElementById('out');
const words = { ok: 'holds', broken: 'BROKEN', left_out: 'left out', not_asked: 'not asked', unanswered: 'no answer' };
const run = () => check().catch((error) => { out.textContent = 'It cannot be checked: ' + error.message; out.parentElement.className = 'wide alarm'; });
async function check() {
  const chosen = file.files[0];
  if (!chosen) return;
  out.textContent = 'Checking …';
  const url = node.value.trim();
  const ask = url === '' ? undefined : async (method, params) => {
    const answer = await fetch(url, { signal: AbortSignal.timeout(30000), method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) });
    const { result, error } = await answer.json();
    if (error) throw new Error(error.message);
    return result;
  };
  // Bytes that are no UTF-8 are a change too, and must not be mended in reading.
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await chosen.arrayBuffer());
  const { ok, links } = await verifyBundle(text, ask);
  out.textContent = '';
  const head = document.createElement('h2');
  const broken = links.some(({ state }) => state === 'broken');
  head.textContent = ok ? 'Every link that could be checked holds' : broken ? 'This file does not hold' : 'The node gave no answer; the file holds as far as it goes';
  out.append(head);
  out.parentElement.className = ok ? 'wide' : 'wide alarm';
  const list = document.createElement('ul');
  for (const { link, of, state, detail } of links) {
    const item = document.createElement('li'), name = document.createElement('b');
    name.textContent = of + ', ' + link + ': ' + words[state];
    item.append(name, document.createElement('br'), detail);
    list.append(item);
  }
  out.append(list);
}
file.addEventListener('change', run);
node.addEventListener('change', run);
`;

let page: { readonly text: string; readonly policy: string } | null = null;

function build(): { readonly text: string; readonly policy: string } {
  const verifier = inOneScript(new URL('../../verifier/verifier.js', import.meta.url), new Set());
  const script = `${verifier}\n${CONTROLS}`;
  const hash = createHash('sha256').update(script).digest('base64');
  return {
    policy: `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${hash}'; connect-src http: https:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'`,
    text: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Check the evidence of a product passport</title><style>${STYLE}label{display:block;margin:.75rem 0 .25rem}input{font:inherit;width:100%;max-width:32rem}</style></head>
<body><main><header class="wide"><h1>Check the evidence of a product passport</h1><p>Everything is counted here, in this page; the file goes nowhere. Save the page to check files without the service.</p><label for="file">Evidence file</label><input type="file" id="file" accept=".json,application/json"><label for="node">Node of the chain, to be asked whether the blocks are on it (optional)</label><input type="url" id="node" placeholder="https://…"></header><section class="wide"><div id="out" aria-live="polite"><p class="soft">Choose a file.</p></div></section></main><script type="module">${script}</script></body></html>
`,
  };
}

export const verifyPage = (): string => (page ??= build()).text;
export const VERIFY_POLICY = (): string => (page ??= build()).policy;
