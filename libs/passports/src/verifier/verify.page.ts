import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { STYLE } from '#kernel';

interface Page {
  readonly text: string;
  readonly policy: string;
}

/** Made by `tools/build.mjs` of `verify-script.page.ts`. */
const SCRIPT = new URL('../../../../verify-page/script.js', import.meta.url);

let page: Page | null = null;

/** The page that checks evidence: one file, which works saved and alone, from `file://` too. */
export const verifyPage = (): string => pageOnce().text;
/** Its own script runs, and nothing else; what it asks is the node that its reader names. */
export const verifyPolicy = (): string => pageOnce().policy;

function pageOnce(): Page {
  if (page) return page;
  const script = readFileSync(SCRIPT, 'utf8');
  const hash = createHash('sha256').update(script).digest('base64');
  page = {
    policy: `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${hash}'; connect-src http: https:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'`,
    text: textWith(script),
  };
  return page;
}

const FIELDS = 'label{display:block;margin:.75rem 0 .25rem}input{font:inherit;width:100%;max-width:32rem}';

const textWith = (script: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Check the evidence of a product passport</title><style>${STYLE}${FIELDS}</style></head>
<body><main><header class="wide"><h1>Check the evidence of a product passport</h1><p>The file is checked in your browser and never uploaded. Save this page to check files without the service.</p><label for="file">Evidence file</label><input type="file" id="file" accept=".json,application/json"><label for="node">Node of the chain, to ask whether the blocks are on it (optional)</label><input type="url" id="node" placeholder="https://…"></header><section class="wide"><div id="out" aria-live="polite"><p class="soft">Choose a file.</p></div></section></main><script type="module">${script}</script></body></html>
`;
