import { negotiate } from '#http';
import { type DigitalLink, PAGE_POLICY, languageOf } from '#kernel';
import { linkTypeUnknown } from '../errors.js';
import { choiceOf } from '../issuing/issued-passport.js';
import type { PassportRequest } from '../issuing/passports.dto.js';
import { linksetOfChoices } from '../public/linkset.js';
import { choicesPage } from '../public/passport.page.js';
import type { PassportReply } from '../public/public-passport.dto.js';
import type { OfTenants } from './resolve-link.js';
import { OFFERED } from './resolver.dto.js';
import { linksPage, severalPage } from './resolver.page.js';
import { CONTEXT_HEADER, LINKSET_CONTEXT, absolute, linkHeader, resolverLinkset, severalLinks, withQuery } from './resolver-linkset.js';
import type { ResolvedLinks, ResolverLink } from './resolver-links.js';
import { targetOf } from './targets.rules.js';

interface Exchange {
  readonly request: PassportRequest;
  readonly reply: PassportReply;
  readonly link: DigitalLink;
  /** As it was sent. */
  readonly query: string;
}

/** What one tenant has: the target, or all links. @throws DomainError 404 `link_type_unknown` */
export function respondLinks(tenant: ResolvedLinks, linkTypes: readonly string[], exchange: Exchange): Buffer | string | undefined {
  const { request, reply, link, query } = exchange;
  const [linkType = null, ...more] = linkTypes;
  const origin = tenant.resolver ?? request.publicOrigin;
  const accept = headerOf(request, 'accept');
  // RFC 9264 §5: who names the type itself wants the set, not what it leads to.
  if (linkType === 'linkset' || linkType === 'all' || /application\/linkset\+json/i.test(accept ?? '')) {
    const set = resolverLinkset(tenant.levels, origin);
    return respondSet(set, (data) => linksPage(tenant.levels, origin, data), { ...exchange, cache: 'public, max-age=300' });
  }
  const target =
    more.length > 0 ? null : targetOf(tenant.levels, { linkType, accept, acceptLanguage: headerOf(request, 'accept-language') });
  if (target === null) throw linkTypeUnknown(typesOf(tenant));
  if (isSeveral(target)) {
    reply.code(300);
    const set = severalLinks(link, target, origin);
    return respondSet(set, (data) => severalPage(target, origin, data), { ...exchange, cache: 'no-cache' });
  }
  describe(exchange, 'public, max-age=300');
  reply
    .code(307)
    .header('link', linkHeader(link, request.publicOrigin))
    .header('location', withQuery(absolute(target.href, origin), link.query, query));
  return undefined;
}

/** RFC 9110 §15.4.1: the service prefers none of them. */
export function respondTenants(found: OfTenants, exchange: Exchange): Buffer | string {
  const { request, reply, link } = exchange;
  const choices = found.map(({ tenantName, tenantSlug }) => ({ tenantName, path: link.path + choiceOf(tenantSlug) }));
  reply.code(300);
  const set = linksetOfChoices({ link: link.path, choices }, request.publicOrigin);
  return respondSet(set, () => choicesPage({ link: link.path, choices }, languageOf(headerOf(request, 'accept-language'))), {
    ...exchange,
    cache: 'no-cache',
  });
}

const typesOf = ({ levels }: ResolvedLinks): string[] => [
  'linkset',
  ...new Set(levels.flatMap(({ links }) => links.map(({ linkType }) => `gs1:${linkType}`))),
];

const isSeveral = (target: ResolverLink | readonly ResolverLink[]): target is readonly ResolverLink[] => Array.isArray(target);

const headerOf = ({ headers }: PassportRequest, name: string): string | undefined => {
  const value = headers[name];
  return Array.isArray(value) ? value.join() : value;
};

function describe({ reply }: Exchange, cache: string): void {
  reply.header('cache-control', cache).header('vary', 'accept, accept-language, x-forwarded-host, x-forwarded-proto');
}

/** A linkset as it is asked for. JSON-LD has its context in itself, and JSON in a header. */
function respondSet(set: object, page: (data: object) => string, exchange: Exchange & { readonly cache: string }): Buffer | string {
  const { request, reply, link, cache } = exchange;
  const type = negotiate(headerOf(request, 'accept'), OFFERED) ?? OFFERED[0]!;
  const header = linkHeader(link, request.publicOrigin);
  describe(exchange, cache);
  reply
    .header('content-type', type === 'text/html' ? `${type}; charset=utf-8` : type)
    .header('content-security-policy', PAGE_POLICY)
    .header('link', type.endsWith('/json') || type.endsWith('set+json') ? `${header}, ${CONTEXT_HEADER}` : header);
  const data = { '@context': LINKSET_CONTEXT, ...set };
  if (type === 'text/html') return page(data);
  // Of a text Fastify says that it is UTF-8, which JSON always is.
  return Buffer.from(JSON.stringify(type === 'application/ld+json' ? data : set));
}
