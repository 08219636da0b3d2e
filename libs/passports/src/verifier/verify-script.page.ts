import type { AskChain } from './chain-check.js';
import type { LinkState } from './report.js';
import { verifyBundle } from './verifier.js';

/** The script of the page that checks evidence. `tools/build.mjs` bundles it with the verifier into one script that imports nothing. */

const WORDS: Readonly<Record<LinkState, string>> = {
  ok: 'valid',
  broken: 'BROKEN',
  left_out: 'left out',
  not_asked: 'not asked',
  unanswered: 'no answer',
};

const file = document.getElementById('file') as HTMLInputElement;
const node = document.getElementById('node') as HTMLInputElement;
const out = document.getElementById('out') as HTMLElement;

const asking =
  (url: string): AskChain =>
  async (method, params) => {
    const answer = await fetch(url, {
      signal: AbortSignal.timeout(30_000),
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error } = (await answer.json()) as { result?: unknown; error?: { message: string } };
    if (error) throw new Error(error.message);
    return result;
  };

async function check(): Promise<void> {
  const chosen = file.files?.[0];
  if (!chosen) return;
  out.textContent = 'Checking …';
  const url = node.value.trim();
  // Bytes that are not UTF-8 are a change too, and reading must not repair them.
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await chosen.arrayBuffer());
  const { ok, links } = await verifyBundle(text, url === '' ? undefined : asking(url));
  const isBroken = links.some(({ state }) => state === 'broken');
  const heading = document.createElement('h2');
  heading.textContent = ok
    ? 'Every link that could be checked is valid'
    : isBroken
      ? 'The file is not valid'
      : 'The node did not answer; the file itself is valid';
  const list = document.createElement('ul');
  for (const { link, of, state, detail } of links) {
    const [item, name] = [document.createElement('li'), document.createElement('b')];
    name.textContent = `${of}, ${link}: ${WORDS[state]}`;
    item.append(name, document.createElement('br'), detail);
    list.append(item);
  }
  show(ok ? 'wide' : 'wide alarm', heading, list);
}

function show(style: string, ...content: (Node | string)[]): void {
  out.replaceChildren(...content);
  out.parentElement!.className = style;
}

const run = (): void => void check().catch((error: Error) => show('wide alarm', `It cannot be checked: ${error.message}`));

file.addEventListener('change', run);
node.addEventListener('change', run);

/** What the page runs, for tests of the bundle. */
export default verifyBundle;
