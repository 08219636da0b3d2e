import { VOCABULARY, linkTypeName } from '../links/link-types.js';
import type { PublicPassport } from '../composing/passport.js';
import type { PassportChoices } from './passport-choices.js';

/** Link types of the GS1 Web Vocabulary 1.16 that a passport has, and the titles of their links. */
const PAGE_LINKS = {
  'gs1:defaultLink': 'Digital product passport',
  'gs1:dpp': 'Digital product passport',
  'gs1:pip': 'Product information',
  'gs1:traceability': 'Origin and steps',
  'gs1:recallStatus': 'Recall status',
  'gs1:sustainabilityInfo': 'Footprint',
  'gs1:certificationInfo': 'Certificates',
} as const;

export const LINK_TYPES = Object.keys(PAGE_LINKS);

/** `gs1:dpp`, `dpp` or the whole address of the vocabulary; null for a type that a passport has not. */
export function linkTypeOf(text: string): string | null {
  const given = linkTypeName(text);
  // A resolver passes on what it was asked for.
  const name = given === 'defaultLinkMulti' ? 'defaultLink' : given;
  return LINK_TYPES.includes(`gs1:${name}`) ? `gs1:${name}` : null;
}

/** RFC 9264 §4.2, with relation types as addresses, as GS1 resolvers write them. @param json where its JSON is, when not at its own address */
export function linksetOf({ links, product }: PublicPassport, json = links.self): object {
  const anchor = links.digitalLink ?? links.self;
  const target = (title: string, type: string, href = links.self): object => ({ href, title, type, hreflang: ['en'] });
  const relations = Object.entries(PAGE_LINKS).map(([name, title]) => [
    VOCABULARY + name.slice('gs1:'.length),
    name === 'gs1:dpp' || name === 'gs1:recallStatus'
      ? [target(title, 'text/html'), target(title, 'application/json', json)]
      : [target(title, 'text/html')],
  ]);
  return { linkset: [{ anchor, itemDescription: product.description ?? product.name, ...Object.fromEntries(relations) }] };
}

/** RFC 9264 §4.2: the passports of several tenants at one link. @param origin `https://host` of the request */
export function linksetOfChoices({ link, choices }: PassportChoices, origin: string): object {
  const targets = choices.flatMap(({ tenantName, path }) =>
    ['text/html', 'application/json'].map((type) => ({
      href: origin + path,
      title: `${PAGE_LINKS['gs1:dpp']}: ${tenantName}`,
      type,
      hreflang: ['en'],
    })),
  );
  return { linkset: [{ anchor: origin + link, [`${VOCABULARY}dpp`]: targets }] };
}
