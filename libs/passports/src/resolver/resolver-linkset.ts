import { type DigitalLink, encodeGs1 } from '#kernel';
import { VOCABULARY } from '../links/link-types.js';
import { type ResolverLevel, type ResolverLink, grouped } from './resolver-links.js';
import { alternativesOf } from './targets.rules.js';

/** JSON-LD context of linksets: the version that never changes. */
export const LINKSET_CONTEXT = 'https://ref.gs1.org/standards/resolver/1.2.0/linkset-context';

/** @param origin `https://host` of links of this service */
export const absolute = (href: string, origin: string): string => (href.startsWith('/') ? origin + href : href);

const targetIn = ({ href, title, mediaType, languages }: ResolverLink, origin: string): object => ({
  href: absolute(href, origin),
  title,
  ...(mediaType !== null && { type: mediaType }),
  ...(languages.length > 0 && { hreflang: languages }),
});

/** RFC 9264 §4.2: one context for each of the things that a Digital Link names, with relation types as addresses, as GS1 resolvers write them. */
export function resolverLinkset(levels: readonly ResolverLevel[], origin: string): { readonly linkset: readonly object[] } {
  return { linkset: levels.map((level) => contextOf(level, origin)) };
}

function contextOf({ anchor, links, defaultLink }: ResolverLevel, origin: string): object {
  const alternatives = alternativesOf({ links, defaultLink });
  const byType = grouped(links, ({ linkType }) => linkType);
  return {
    anchor: origin + anchor,
    // The default link has no attribute by which it could be chosen, or not.
    [`${VOCABULARY}defaultLink`]: [{ href: absolute(defaultLink.href, origin), title: defaultLink.title }],
    ...(alternatives.length > 1 && { [`${VOCABULARY}defaultLinkMulti`]: alternatives.map((link) => targetIn(link, origin)) }),
    ...Object.fromEntries([...byType].map(([type, some]) => [VOCABULARY + type, some.map((link) => targetIn(link, origin))])),
  };
}

/** Those between which a request does not decide. */
export const severalLinks = (
  link: DigitalLink,
  several: readonly ResolverLink[],
  origin: string,
): { readonly linkset: readonly object[] } => ({
  linkset: [
    {
      anchor: origin + link.path,
      [VOCABULARY + several[0]!.linkType]: several.map((one) => targetIn(one, origin)),
    },
  ],
});

/** Adds a query to a target, before its fragment. @param queries as they are written in an address; empty ones are left out */
export function withQuery(href: string, ...queries: readonly string[]): string {
  const query = queries
    .filter((one) => one !== '')
    .join('&')
    .replaceAll(/[^\x21-\x7e]/g, encodeGs1);
  if (query === '') return href;
  const [before, fragment] = href.split('#', 2) as [string, string?];
  return `${before}${before.includes('?') ? '&' : '?'}${query}${fragment === undefined ? '' : `#${fragment}`}`;
}

/** RFC 8288, of each answer of a resolver: where all links are, and the whole form of a compressed link. */
export function linkHeader({ path, query, isCompressed }: DigitalLink, origin: string): string {
  const self = origin + path;
  const linkset = `<${self}?linkType=linkset>; rel="linkset"; type="application/linkset+json"; title="All links"`;
  return isCompressed ? `${linkset}, <${withQuery(self, query)}>; rel="owl:sameAs"; title="Uncompressed GS1 Digital Link"` : linkset;
}

/** Of an answer in JSON: how to read it as JSON-LD. */
export const CONTEXT_HEADER = `<${LINKSET_CONTEXT}>; rel="http://www.w3.org/ns/json-ld#context"; type="application/ld+json"; title="JSON-LD context"`;
