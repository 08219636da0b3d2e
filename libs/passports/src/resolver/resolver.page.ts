import { Html, STYLE, html, theirs } from '#kernel';
import { absolute } from './resolver-linkset.js';
import type { ResolverLevel, ResolverLink } from './resolver-links.js';

const document = (title: string, content: Html, data: object): string =>
  html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="referrer" content="no-referrer"><title>${title}</title><style>${new Html(STYLE)}</style><script type="application/ld+json">${embedded(data)}</script></head>
<body><main>${content}</main><footer>GS1 Digital Link</footer></body></html>
`.text;

/** In JSON no text needs `<`: it may be written as an escape, which ends no element. */
const embedded = (data: object): Html => new Html(JSON.stringify(data).replaceAll('<', '\\u003c'));

const item = ({ href, title, languages, linkType }: ResolverLink, origin: string): Html =>
  html`<li><a href="${absolute(href, origin)}" rel="nofollow noopener">${theirs(title)}</a> <span class="soft">gs1:${linkType}${languages.length === 0 ? null : ` · ${languages.join(', ')}`}</span></li>`;

/** All links of a Digital Link, for people; the same as linked data is in the page. */
export const linksPage = (levels: readonly ResolverLevel[], origin: string, data: object): string =>
  document(
    'All links',
    html`${levels.map(
      ({ anchor, links }) =>
        html`<section class="wide"><h1><code>${anchor}</code></h1><ul>${links.map((link) => item(link, origin))}</ul></section>`,
    )}`,
    data,
  );

/** Where a request asks for a type of which there are several links. */
export const severalPage = (several: readonly ResolverLink[], origin: string, data: object): string =>
  document(
    'Several links',
    html`<section class="wide"><h1>Several links fit</h1><ul>${several.map((link) => item(link, origin))}</ul></section>`,
    data,
  );
