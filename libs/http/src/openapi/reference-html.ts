import { Html, STYLE, html } from '#kernel';
import { GROUPS } from './groups.js';
import type { Reference, ReferenceOperation, Schema } from './reference.js';
import { samplesOf } from './samples.js';

/** No script, and nothing of another host. */
export const REFERENCE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const OWN =
  `main,#found{display:block}main>*+*{margin-top:1rem}header.bar{display:flex;gap:.25rem 1.25rem;flex-wrap:wrap;align-items:center;border-radius:0;border-width:0 0 1px}
header.bar b{margin-inline-end:auto}pre{overflow:auto;padding:.75rem;border:1px solid var(--line);border-radius:.5rem;background:var(--back);margin:.5rem 0;font-size:.85rem;overflow-wrap:normal}
article{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:1rem 1.25rem}article h2{font-size:1.1rem}article h3{font-size:.95rem;margin:.75rem 0 .25rem}
.verb{font-weight:700;color:var(--mark)}.scroll{overflow-x:auto}summary{cursor:pointer;padding:.35rem 0}details[open]>summary{font-weight:600}
a:focus-visible,summary:focus-visible,[tabindex="0"]:focus-visible{outline:3px solid var(--mark);outline-offset:2px}
.skip{position:absolute;left:-100vw}.skip:focus{position:static}@media(max-width:43.99rem){thead{display:none}tr,td{display:block}td{border:0;padding:.1rem 0}tr{padding:.4rem 0;border-bottom:1px solid var(--line)}}
@media(min-width:44rem){main{max-width:64rem}td:first-child{min-width:10rem}td:nth-child(2){min-width:9rem}}`.replaceAll('\n', '');

export const slugOf = (group: string): string => group.toLowerCase().replaceAll(/[^a-z\d]+/g, '-');

const page = (title: string, content: Html): string =>
  html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${title}</title><link rel="icon" href="data:,"><style>${new Html(STYLE + OWN)}</style></head>
<body><a class="skip" href="#main">Skip to content</a><header class="bar"><b><a href="/docs">API</a></b><nav aria-label="Service"><a href="/docs/console">Try it</a> · <a href="/guide">Guide</a> · <a href="/portal">Portal</a> · <a href="/openapi.json">OpenAPI 3.1</a></nav></header><main id="main" tabindex="-1">${content}</main></body></html>`
    .text;

/** In the order of GROUPS, then others by name. */
function groupsOf(reference: Reference): readonly string[] {
  const order = Object.keys(GROUPS);
  const place = (name: string): number => (order.includes(name) ? order.indexOf(name) : order.length);
  return [...reference.groups.keys()].toSorted((a, b) => place(a) - place(b) || (a < b ? -1 : 1));
}

/** The first page: how to begin, what holds for every call, and the groups. */
export function introductionPage(reference: Reference): string {
  const group = (name: string): Html =>
    html`<article><h2><a href="/docs/${slugOf(name)}">${name}</a></h2><p>${GROUPS[name] ?? ''}</p><details><summary>${reference.groups.get(name)!.length} operations</summary><ul>${reference.groups
      .get(name)!
      .map(
        ({ operationId, method, path, summary }) =>
          html`<li><a href="/docs/${slugOf(name)}#${operationId}"><span class="verb">${method}</span> <code>${path}</code></a> ${summary}</li>`,
      )}</ul></details></article>`;
  return page(
    'API of the traceability service',
    html`<h1>API of the traceability service</h1>
<section><h2>Begin</h2><p>Requests and answers are JSON over HTTPS. Sign in, and send the token with each request; a program uses an API key.</p>${code(`TOKEN=$(curl -s http://localhost:3000/api/v2/auth/login -H 'Content-Type: application/json' \\
  -d '{"email":"you@example.com","password":"…","tenantId":"rice"}' | jq -r .accessToken)
curl -s 'http://localhost:3000/api/v1/nfts?limit=5' -H "Authorization: Bearer $TOKEN"`)}<p><a href="/guide/how-to/use-a-client">Client libraries</a> for TypeScript and Python do this for you. <a href="/guide/tutorial/recall-a-lot">The tutorial</a> goes from nothing to a recalled lot.</p></section>
<section><h2>For every call</h2><ul>
<li><b>Writing is preparing.</b> A call that changes the chain ends with <code>/prepare</code>: it answers with a transaction that your wallet signs. The service never has your key.</li>
<li><b>Errors</b> are problem details (RFC 9457) with a stable <code>code</code>: <a href="/guide/reference/errors">every code</a>.</li>
<li><b>Lists</b> have <code>data</code>, and <code>nextCursor</code> or <code>page</code>; ask with <code>cursor</code> or <code>page</code>, and <code>limit</code>.</li>
<li><b>Repeat safely</b> with the header <code>Idempotency-Key</code>: <a href="/guide/how-to/repeat-a-request-safely">how</a>.</li>
<li><b>Limits</b> are in the headers <code>RateLimit</code> and <code>RateLimit-Policy</code>; 429 says when to come again.</li>
<li><b>Events</b> reach you by <a href="/guide/how-to/receive-webhooks">webhooks</a> or by <a href="/guide/how-to/follow-changes">the change feed</a>.</li></ul></section>
<h2>Groups</h2>${groupsOf(reference).map(group)}`,
  );
}

/** All operations of a group, with samples in four languages. */
export function groupPage(reference: Reference, name: string): string {
  const operations = reference.groups.get(name)!;
  return page(
    `${name} · API`,
    html`<h1>${name}</h1><p>${GROUPS[name] ?? ''}</p><section><h2>Operations</h2><ul>${operations.map(
      ({ operationId, method, path, summary }) =>
        html`<li><a href="#${operationId}"><span class="verb">${method}</span> <code>${path}</code></a> ${summary}</li>`,
    )}</ul></section>${operations.map((operation) => operationOf(reference, operation))}`,
  );
}

function operationOf(reference: Reference, operation: ReferenceOperation): Html {
  const { operationId, method, path, summary, description, parameters, body, answers, open } = operation;
  const rows = parameters.map(({ name, in: place, required, description: about, schema }) => ({
    ...{
      name,
      about: about ?? schema?.description ?? '',
      type: `${reference.typeOf(schema ?? {})}, ${place}`,
      required: required ?? false,
    },
  }));
  return html`<article aria-labelledby="${operationId}"><h2 id="${operationId}">${summary}</h2><p><span class="verb">${method}</span> <code>${path}</code>${open ? html` <span class="soft">without a credential</span>` : null}</p>${description === '' ? null : html`<p>${marked(description)}</p>`}${rows.length === 0 ? null : html`<h3>Parameters</h3>${fields(rows)}`}${body === null ? null : html`<h3>Body</h3>${fields(fieldsOf(reference, body))}`}<h3>Samples</h3>${samplesOf(
    reference,
    operation,
  ).map((sample) => html`<details><summary>${sample.language}</summary>${code(sample.code)}</details>`)}<h3>Answers</h3>${answers.map(
    ({ status, description: about, schema }) =>
      html`<details><summary>${status} ${about.replaceAll('`', '') || (status.startsWith('2') ? 'Success' : '')}</summary>${schema === null ? html`<p class="soft">${status.startsWith('2') ? 'No JSON.' : 'Problem details with one of these codes.'}</p>` : html`${fields(fieldsOf(reference, schema))}${code(JSON.stringify(reference.exampleOf(schema), null, 2))}`}</details>`,
  )}</article>`;
}

interface Row {
  readonly name: string;
  readonly type: string;
  readonly about: string;
  readonly required: boolean;
}

function fieldsOf(reference: Reference, schema: Schema): readonly Row[] {
  const { properties = {}, required = [], items } = reference.resolved(schema);
  if (items) return fieldsOf(reference, items);
  return Object.entries(properties).map(([name, property]) => ({
    name,
    type: reference.typeOf(property),
    about: [
      property.description && `${property.description.replace(/[.]$/, '')}.`,
      property.enum ? `One of ${property.enum.map((one) => JSON.stringify(one)).join(', ')}.` : null,
    ]
      .filter(Boolean)
      .join(' '),
    required: required.includes(name),
  }));
}

const fields = (rows: readonly Row[]): Html | null =>
  rows.length === 0
    ? null
    : html`<div class="scroll" role="group" aria-label="Fields" tabindex="0"><table><thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead><tbody>${rows.map(
        ({ name, type, about, required }) =>
          html`<tr><td><code>${name}</code>${required ? html` <span class="soft">required</span>` : null}</td><td>${type}</td><td>${marked(about)}</td></tr>`,
      )}</tbody></table></div>`;

/** What is between backquotes is code. */
const marked = (text: string): Html => html`${text.split('`').map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : part))}`;

const code = (text: string): Html => html`<pre tabindex="0"><code>${text}</code></pre>`;
