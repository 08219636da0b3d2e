import { PAGE_SCHEMA } from '../public/public-passport.dto.js';
import { VOCABULARY } from '../links/link-types.js';
import { LINKSET_CONTEXT } from './resolver-linkset.js';

/** GS1-Conformant Resolver §3, and its schema for description files. */
export const DESCRIPTION_SCHEMA = {
  type: 'object',
  required: ['name', 'resolverRoot', 'supportedPrimaryKeys', 'supportedLinkType', 'linkTypeDefaultCanBeLinkset', 'jsonLdContextLocation'],
  properties: {
    name: { type: 'string' },
    resolverRoot: { type: 'string', format: 'uri' },
    supportedPrimaryKeys: { type: 'array', items: { type: 'string' } },
    supportedLinkType: {
      type: 'array',
      items: {
        type: 'object',
        required: ['namespace', 'prefix'],
        properties: { namespace: { type: 'string', format: 'uri' }, prefix: { type: 'string' } },
      },
    },
    linkTypeDefaultCanBeLinkset: { type: 'boolean' },
    jsonLdContextLocation: { type: 'string', format: 'uri' },
  },
};

/** @param origin `https://host` of the request */
export const resolverDescription = (origin: string): object => ({
  name: 'Traceability Service',
  resolverRoot: origin,
  supportedPrimaryKeys: ['all'],
  supportedLinkType: [{ namespace: VOCABULARY, prefix: 'gs1:' }],
  linkTypeDefaultCanBeLinkset: false,
  jsonLdContextLocation: LINKSET_CONTEXT,
});

/** RFC 9264 §4.2; as JSON-LD with its context. */
const RESOLVER_LINKSET_SCHEMA = {
  type: 'object',
  required: ['linkset'],
  properties: {
    '@context': { type: 'string', format: 'uri' },
    linkset: {
      type: 'array',
      items: { type: 'object', required: ['anchor'], properties: { anchor: { type: 'string' } }, additionalProperties: true },
    },
  },
};

/** The forms of a linkset: JSON where nothing else is asked for. */
export const OFFERED = ['application/linkset+json', 'application/json', 'application/ld+json', 'text/html'];

export const LINKSETS = Object.fromEntries(
  OFFERED.map((type) => [type, { schema: type === 'text/html' ? PAGE_SCHEMA : RESOLVER_LINKSET_SCHEMA }]),
);
