import { ACCESS_EXTENSION, type AccessRule } from '../access.js';
import { LIMIT_EXTENSION } from '../limits/rate-limits.js';
import { API_KEY, BEARER, type Operation, type ResponseObject, problemResponse } from './operation.js';

const UNAUTHENTICATED = '`unauthenticated`, `invalid_token`, `token_expired`, `invalid_api_key`';

/** The credentials that a route takes, from its own `@Access`: the document cannot say otherwise than the guard does. */
export function describeSecurity(operation: Operation): void {
  const rule = operation[ACCESS_EXTENSION] as AccessRule | undefined;
  operation.security = rule === 'public' ? [] : takesKeys(rule) ? [{ [BEARER]: [] }, { [API_KEY]: [] }] : [{ [BEARER]: [] }];
  if (rule !== 'public') operation.responses['401'] ??= problemResponse(UNAUTHENTICATED);
  if (rule !== 'public' && rule !== 'partial') operation.responses['403'] ??= problemResponse(refusedBy(rule));
}

const takesKeys = (rule: AccessRule | undefined): boolean => rule === 'member' || (typeof rule === 'object' && !rule.bearerOnly);

function refusedBy(rule: AccessRule | undefined): string {
  if (rule === 'platform') return '`platform_admin_required`, `bearer_required`';
  const { roles, bearerOnly } = typeof rule === 'object' ? rule : {};
  return ['`partial_token`', ...(bearerOnly ? ['`bearer_required`'] : []), ...(roles ? ['`role_required`'] : [])].join(', ');
}

/** draft-ietf-httpapi-ratelimit-headers-10; what is counted stands in docs/explanation/limits.md. */
export const LIMIT_HEADERS = {
  RateLimitPolicy: {
    description: 'The limit that counted: q requests in w seconds',
    schema: { type: 'string', examples: ['"principal";q=600;w=60'] },
  },
  RateLimit: {
    description: 'r requests left, t seconds until the window begins anew',
    schema: { type: 'string', examples: ['"principal";r=599;t=60'] },
  },
  RetryAfter: { description: 'Seconds to wait', schema: { type: 'integer' } },
};
const header = (name: keyof typeof LIMIT_HEADERS): object => ({ $ref: `#/components/headers/${name}` });
const COUNTED = { 'RateLimit-Policy': header('RateLimitPolicy'), RateLimit: header('RateLimit') };

/** Every route has a limit, but those that an operator's probes ask. */
export function describeLimit({ responses, ...operation }: Operation): void {
  if (operation[LIMIT_EXTENSION] === 'none') return;
  for (const [status, response] of Object.entries(responses)) if (response && status.startsWith('2')) add(response, COUNTED);
  const said = responses['429']?.description;
  const refused = problemResponse(said && !said.includes('`rate_limited`') ? `\`rate_limited\`, ${said}` : (said ?? '`rate_limited`'));
  responses['429'] = refused;
  add(refused, { ...COUNTED, 'Retry-After': header('RetryAfter') });
}

function add(response: ResponseObject, headers: Readonly<Record<string, unknown>>): void {
  response.headers = { ...response.headers, ...headers };
}
