import type { LinkWords } from '../links/tenant-link.js';

/** A target of a Digital Link. */
export interface ResolverLink extends Omit<LinkWords, 'isDefault'> {
  /** Absolute, or a path of this service. */
  readonly href: string;
}

/** What is known of one of the things that a Digital Link names: an item, its lot, its product. */
export interface ResolverLevel {
  /** Path of its Digital Link. */
  readonly anchor: string;
  /** At least one. */
  readonly links: readonly ResolverLink[];
  /** Where a request that asks for nothing in particular is led; one of `links`. */
  readonly defaultLink: ResolverLink;
}

/** What one tenant offers for a Digital Link. */
export interface ResolvedLinks {
  readonly tenantId: string;
  /** `https://host` of the tenant's own links; null: that of the request. */
  readonly resolver: string | null;
  /** The finest first; at least one. */
  readonly levels: readonly ResolverLevel[];
}

/** A link of the tenant's own, or a passport, at one of the paths of a Digital Link. */
export interface FoundLink {
  readonly tenantId: string;
  readonly tenantSlug: string;
  readonly tenantName: string;
  readonly resolver: string | null;
  readonly anchor: string;
  /** Of a passport; null of a link of the tenant's own, which `link` is then. */
  readonly passportId: string | null;
  /** False of a passport that was withdrawn, or whose tenant shows none. */
  readonly isShown: boolean;
  readonly link: LinkWords | null;
}

/** What a passport adds to the links of its lot or item. Its pages are in English. */
export function passportLinks(id: string): ResolverLink[] {
  const page = `/p/${id}`;
  const link = (linkType: string, title: string, mediaType: string, href = page): ResolverLink => ({
    linkType,
    title,
    mediaType,
    href,
    languages: ['en'],
  });
  return [
    ...Object.entries(PASSPORT_LINKS).map(([linkType, title]) => link(linkType, title, 'text/html')),
    ...['dpp', 'recallStatus'].map((linkType) => link(linkType, PASSPORT_LINKS[linkType]!, 'application/json')),
    { ...link('epcis', 'Events in EPCIS, for those who may read them', 'application/ld+json', `${page}/events`), languages: [] },
  ];
}

/** Link types that a passport has, and the titles of their links. */
const PASSPORT_LINKS: Readonly<Record<string, string>> = {
  dpp: 'Digital product passport',
  pip: 'Product information',
  traceability: 'Origin and steps',
  recallStatus: 'Recall status',
  sustainabilityInfo: 'Footprint',
  certificationInfo: 'Certificates',
};

/** The tenants whose links an address leads to, or why it leads to none. */
export type Offers =
  | { readonly of: 'tenants'; readonly tenants: readonly (ResolvedLinks & Pick<FoundLink, 'tenantSlug' | 'tenantName'>)[] }
  | { readonly of: 'nobody'; readonly wasThere: boolean };

/**
 * Who recorded the goods answers before those who only added a link to their key: nobody can lead the goods of another one elsewhere
 * (docs/adr/0024-several-tenants-may-have-one-key.md).
 * @param paths of the Digital Link, the finest first
 */
export function offersOf(found: readonly FoundLink[], paths: readonly string[]): Offers {
  const byTenant = [...grouped(found, ({ tenantId }) => tenantId).values()];
  const open = byTenant.filter((rows) => !isGone(rows, paths[0]!) && rows.some(({ isShown }) => isShown));
  const recorders = open.filter((rows) => rows.some(({ passportId, isShown }) => passportId !== null && isShown));
  const wasThere = byTenant.some((rows) => isGone(rows, paths[0]!)) || (open.length === 0 && found.length > 0);
  if (recorders.length === 0 && (wasThere || open.length === 0)) return { of: 'nobody', wasThere };
  const tenants = (recorders.length > 0 ? recorders : open).map((rows) => {
    const { tenantId, tenantSlug, tenantName, resolver } = rows[0]!;
    return { tenantId, tenantSlug, tenantName, resolver, levels: paths.flatMap((path) => levelOf(path, rows)) };
  });
  return { of: 'tenants', tenants };
}

/** A passport that was withdrawn: what else is known of its product is no answer to who scans the goods. */
const isGone = (rows: readonly FoundLink[], path: string): boolean => {
  const here = rows.filter(({ anchor }) => anchor === path);
  return here.length > 0 && here.every(({ isShown }) => !isShown);
};

function levelOf(anchor: string, rows: readonly FoundLink[]): ResolverLevel[] {
  const here = rows.filter((row) => row.anchor === anchor && row.isShown);
  const own = here.flatMap(({ link }) => link ?? []);
  const links = [...here.flatMap(({ passportId }) => (passportId === null ? [] : passportLinks(passportId))), ...own.map(withoutDefault)];
  const stated = own.findIndex(({ isDefault }) => isDefault);
  const defaultLink = stated < 0 ? links[0] : links.at(stated - own.length);
  return defaultLink === undefined ? [] : [{ anchor, links, defaultLink }];
}

function withoutDefault(words: LinkWords): ResolverLink {
  const { isDefault: _, ...link } = words;
  return link;
}

/** In the order in which the keys come first. */
export function grouped<Item>(items: readonly Item[], keyOf: (item: Item) => string): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}
