import { linkTypeName } from '../links/link-types.js';
import type { ResolverLevel, ResolverLink } from './resolver-links.js';

/** What a request asks for: a link type, and what its headers say. */
export interface Wish {
  /** As it was written; null where none was. */
  readonly linkType: string | null;
  readonly accept: string | undefined;
  readonly acceptLanguage: string | undefined;
}

/** One target, several between which nothing in the request decides, or null: no link of this type. */
export type Target = ResolverLink | readonly ResolverLink[] | null;

/** GS1-Conformant Resolver, §2.6: the default link, or a better one by link type, language and media type. */
export function targetOf(levels: readonly ResolverLevel[], wish: Wish): Target {
  const name = wish.linkType === null ? null : linkTypeName(wish.linkType);
  if (name === null || name === 'defaultLink' || name === 'defaultLinkMulti') return bestDefault(levels[0]!, wish);
  for (const { links, defaultLink } of levels) {
    const fitting = best(
      links.filter(({ linkType }) => linkType === name),
      wish,
    );
    if (fitting.length === 0) continue;
    if (fitting.includes(defaultLink)) return defaultLink;
    return new Set(fitting.map(({ href }) => href)).size === 1 ? fitting[0]! : fitting;
  }
  return null;
}

/** Links of the same type as the default one are its alternatives (`gs1:defaultLinkMulti`). */
function bestDefault({ links, defaultLink }: ResolverLevel, wish: Wish): ResolverLink {
  const fitting = best(alternativesOf({ links, defaultLink }), wish);
  return fitting.includes(defaultLink) ? defaultLink : fitting[0]!;
}

/** The default link of a level and those between which a request may choose in its place. */
export const alternativesOf = ({ links, defaultLink }: Pick<ResolverLevel, 'links' | 'defaultLink'>): readonly ResolverLink[] =>
  links.filter(({ linkType }) => linkType === defaultLink.linkType);

/** Those that fit best: first by language, then by media type. */
function best(links: readonly ResolverLink[], { accept, acceptLanguage }: Wish): readonly ResolverLink[] {
  const [languages, types] = [weighted(acceptLanguage), weighted(accept)];
  const ranked = links.map((link) => ({
    link,
    language: Math.max(
      0,
      ...(link.languages.length === 0 ? [unstated(languages, '*')] : link.languages.map((one) => languageFit(languages, one))),
    ),
    type: link.mediaType === null ? unstated(types, '*/*') : typeFit(types, link.mediaType),
  }));
  const language = Math.max(...ranked.map((one) => one.language));
  const type = Math.max(...ranked.filter((one) => one.language === language).map((one) => one.type));
  return ranked.filter((one) => one.language === language && one.type === type).map(({ link }) => link);
}

type Weights = ReadonlyMap<string, number> | null;

/** Worse than what a header names, better than what it refuses. */
const SOME = 0.0005;

/** Fit of a link that does not say what it is. */
const unstated = (weights: Weights, any: string): number => (weights === null ? 1 : Math.max(weights.get(any) ?? 0, SOME));

/** Names of a header that count. Each link is compared with each of them. */
const MOST_WEIGHTS = 50;

/** RFC 9110 §12.4.2: names and their weights; null for a header that is absent or empty. */
function weighted(header: string | undefined): Weights {
  if (header === undefined || header.trim() === '') return null;
  return new Map(
    header.split(',', MOST_WEIGHTS).map((part) => {
      const [name = '', ...parameters] = part.split(';').map((one) => one.trim().toLowerCase());
      const q = Number(parameters.find((one) => one.startsWith('q='))?.slice(2) ?? 1);
      return [name, Number.isNaN(q) ? 0 : Math.min(1, Math.max(0, q))];
    }),
  );
}

function typeFit(types: Weights, mediaType: string): number {
  if (types === null) return 1;
  return types.get(mediaType) ?? types.get(`${mediaType.split('/', 1)[0]}/*`) ?? types.get('*/*') ?? 0;
}

/** RFC 4647 §3.4, in both directions: `de-AT` is also for readers of `de`, and `de` for readers of `de-CH`, who prefer their own. */
function languageFit(languages: Weights, language: string): number {
  if (languages === null) return 1;
  const tag = language.toLowerCase();
  const primary = tag.split('-', 1)[0]!;
  const exact = languages.get(tag);
  if (exact !== undefined) return exact;
  const near = [...languages].filter(([name]) => name === primary || name.split('-', 1)[0] === primary).map(([, q]) => q);
  return near.length > 0 ? Math.max(...near) * 0.9 : (languages.get('*') ?? 0);
}
