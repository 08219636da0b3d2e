import { contentTag, hasState, negotiate } from '#http';
import { DomainError, PAGE_POLICY, languageOf } from '#kernel';
import { PASSPORT_STATUSES } from '../composing/passport.js';
import type { PassportRequest } from '../issuing/passports.dto.js';
import { absencePage } from '../pages/document.page.js';
import type { Rendering } from './renderings.js';
import type { PassportOnShow } from './show-passport.js';

type Members = Readonly<Record<string, object>>;

const text = { type: 'string' };
const textOrNull = { type: 'string', nullable: true };
const shareOrNull = { type: 'number', minimum: 0, maximum: 1, nullable: true };
const open = { type: 'object', additionalProperties: true };
/** Every member is always present. */
const shape = (properties: Members, more: object = {}) => ({ type: 'object', required: Object.keys(properties), properties, ...more });

const RECALL = shape({ recallClass: textOrNull, reason: textOrNull, instructions: textOrNull, date: text });
const PRODUCT = shape({
  granularity: { type: 'string', enum: ['model', 'batch', 'item'] },
  name: text,
  description: textOrNull,
  picture: textOrNull,
  category: textOrNull,
  hsCode: textOrNull,
  key: text,
  gtin: textOrNull,
  lot: textOrNull,
  serial: textOrNull,
  producedOn: textOrNull,
  bestBefore: textOrNull,
  expired: { type: 'boolean' },
  retired: shape({ reason: text, month: text }, { nullable: true }),
  attributes: open,
});
const STEP = shape({
  process: text,
  country: textOrNull,
  region: textOrNull,
  month: textOrNull,
  verifiedRatio: shareOrNull,
  attributes: { type: 'object', additionalProperties: { type: 'array', items: {} } },
});

const LINKED = shape({ id: text, passportId: textOrNull, name: textOrNull, key: textOrNull });

/** docs/spec/domain.md#passports; `null` where nothing is known, or shown. */
export const PASSPORT_SCHEMA = shape({
  passportId: textOrNull,
  passportStatus: { type: 'string', enum: [...PASSPORT_STATUSES] },
  version: { type: 'integer' },
  issuedAt: textOrNull,
  lastUpdated: textOrNull,
  recalls: { type: 'array', items: RECALL },
  product: PRODUCT,
  operator: shape(
    { name: text, lei: textOrNull, gln: textOrNull, logo: textOrNull, contact: { type: 'object', additionalProperties: text } },
    { nullable: true },
  ),
  origin: shape({ steps: { type: 'array', items: STEP }, complete: { type: 'boolean' } }),
  footprint: { ...open, nullable: true },
  certificates: { type: 'array', items: open },
  traceability: shape({ verifiedRatio: shareOrNull, chainOfCustody: textOrNull, claimShare: shareOrNull }),
  previousPassports: { type: 'array', items: LINKED },
  nextPassports: { type: 'array', items: LINKED },
  integrity: { ...open, nullable: true },
  links: shape({ self: text, digitalLink: textOrNull, label: textOrNull, bundle: textOrNull }),
});

/** RFC 9264 §4.2. */
export const LINKSET_SCHEMA = shape({ linkset: { type: 'array', items: open } });
export const PAGE_SCHEMA = text;
export const FILE_SCHEMA = { type: 'string', format: 'binary' };
export const EVIDENCE_SCHEMA = open;

/** Goes before `@ApiProblems`: a browser asks for a page, and gets problems as pages too. */
export const RefusesWithPage = (): MethodDecorator => (_target, _name, descriptor) => {
  const responses = (Reflect.getMetadata('swagger/apiResponse', descriptor.value as object) ?? {}) as Record<string, { content?: object }>;
  for (const [status, response] of Object.entries(responses))
    if (Number(status) >= 400) response.content = { ...response.content, 'text/html': { schema: PAGE_SCHEMA } };
};

/** What a route needs of Fastify's reply. */
export interface PassportReply {
  code(status: number): PassportReply;
  header(name: string, value: string): PassportReply;
}

/** Cached with the passport that it was made of, so that a second reader costs nothing. */
export function rendering(shown: PassportOnShow, name: string, type: string, render: () => string | Buffer): Rendering {
  const cached = shown.renderings.get(name);
  if (cached) return cached;
  const content = render();
  const body = typeof content === 'string' ? Buffer.from(content) : content;
  const made: Rendering = { body, type, etag: contentTag(body) };
  shown.renderings.add(name, made);
  return made;
}

/** docs/spec/domain.md#passports: five minutes; the page of recalled goods is requested again each time. */
const cacheControl = ({ passport }: PassportOnShow): string => (passport.recalls.length > 0 ? 'no-cache' : 'public, max-age=300');

/** Pictures may be at other hosts, which the tenant names; nothing else is loaded. */
export function policyOf({ product, operator }: PassportOnShow['passport']): string {
  const addresses = [product.picture, operator?.logo].filter((one) => one?.startsWith('https:'));
  const hosts = [...new Set(addresses.map((one) => new URL(one!).origin))];
  return PAGE_POLICY.replace('img-src data:', ['img-src data:', ...hosts].join(' '));
}

/** The language that a link asks for, or that of the reader. */
export const acceptedLanguages = ({ headers, url }: PassportRequest): string | undefined =>
  new URL(url, 'http://localhost').searchParams.get('lang') ?? headers['accept-language']?.toString();

/** The response, or 304 where the client has it. */
export function respond(
  { body, etag, type }: Rendering,
  shown: PassportOnShow,
  request: PassportRequest,
  reply: PassportReply,
): Buffer | undefined {
  reply
    .header('etag', etag)
    .header('cache-control', cacheControl(shown))
    // Links begin with the host of the request, which a proxy in front may name: no cache shows one client what another one made up.
    .header('vary', 'accept, accept-language, x-dpp-grant, x-forwarded-host, x-forwarded-proto')
    .header('access-control-allow-origin', '*')
    // Labels are shown on pages of other sites.
    .header('cross-origin-resource-policy', 'cross-origin')
    .header('content-security-policy', policyOf(shown.passport));
  if (hasState(request.headers['if-none-match'], etag)) {
    reply.code(304);
    return undefined;
  }
  reply.header('content-type', type);
  return body;
}

/** A phone that scanned a code gets a page, whatever became of the passport. */
export async function pageOrProblem<T>(request: PassportRequest, reply: PassportReply, work: () => Promise<T>): Promise<T | string> {
  try {
    return await work();
  } catch (error) {
    const accept = String(request.headers['accept'] ?? '');
    const wantsPage = error instanceof DomainError && negotiate(accept, ['application/json', 'text/html']) === 'text/html';
    if (!wantsPage || error.status >= 500 || error.status === 429) throw error;
    reply.code(error.status).header('content-type', 'text/html; charset=utf-8').header('content-security-policy', PAGE_POLICY);
    return absencePage(error.status, languageOf(acceptedLanguages(request)));
  }
}
