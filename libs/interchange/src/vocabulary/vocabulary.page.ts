import { Html, STYLE, html } from '#kernel';
import { namespaceOf } from '../epcis/identifiers.js';
import { termList } from '../epcis/terms.js';
import { ABOUT, SUBJECTS, TITLE, TYPES_ABOUT, TYPES_TITLE } from './vocabulary.js';

/** `/ns/trc` for people: each term under the fragment that its IRI leads to. */
export function vocabularyPage(base: string): string {
  const namespace = namespaceOf({ base });
  return page(
    TITLE,
    html`<p>${ABOUT}</p><p class="soft"><code>${namespace}</code></p>`,
    Object.entries(SUBJECTS).map(
      ([of, subject]) =>
        html`<section class="wide"><h2>${subject}</h2><dl>${termList()
          .filter(([, term]) => term.of === of)
          .map(
            ([name, { label, definition, value, values }]) =>
              html`<dt id="${name}"><code>trc:${name}</code></dt><dd><b>${label}</b> (${value}). ${definition}${values ? ` One of ${values.join(', ')}.` : ''}</dd>`,
          )}</dl></section>`,
    ),
  );
}

export const documentTypesPage = (): string => page(TYPES_TITLE, html`<p>${TYPES_ABOUT}</p>`, []);

const page = (title: string, about: Html, sections: readonly Html[]): string =>
  html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${title}</title><style>${new Html(STYLE)}</style></head>
<body><main><header class="wide"><h1>${title}</h1>${about}</header>${sections}</main></body></html>
`.text;
