import { ACCESS_EXTENSION, type AccessRule } from '../access.js';
import { LIMIT_EXTENSION } from '../limits/rate-limits.js';
import { API_KEY, BEARER, type Operation, type ResponseObject, refuses } from './operation.js';

const UNAUTHENTICATED = ['unauthenticated', 'invalid_token', 'token_expired'];

/** The credentials that a route takes, from its own `@Access`: the document cannot say otherwise than the guard does. */
export function describeSecurity(operation: Operation): void {
  const rule = operation[ACCESS_EXTENSION] as AccessRule | undefined;
  operation.security = rule === 'public' ? [] : takesKeys(rule) ? [{ [BEARER]: [] }, { [API_KEY]: [] }] : [{ [BEARER]: [] }];
  // A key is read wherever it is sent, if only to say that the route takes none.
  if (rule !== 'public') refuses(operation, 401, ...UNAUTHENTICATED, 'invalid_api_key');
  if (rule !== 'public') refuses(operation, 403, ...refusedBy(rule));
}

const takesKeys = (rule: AccessRule | undefined): boolean => rule === 'member' || (typeof rule === 'object' && !rule.bearerOnly);

function refusedBy(rule: AccessRule | undefined): readonly string[] {
  if (rule === 'platform') return ['platform_admin_required', 'bearer_required'];
  if (rule === 'partial') return ['bearer_required'];
  const { roles, bearerOnly } = typeof rule === 'object' ? rule : {};
  return ['partial_token', 'tenant_required', ...(bearerOnly ? ['bearer_required'] : []), ...(roles ? ['role_required'] : [])];
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
  refuses({ responses, ...operation }, 429, 'rate_limited');
  add(responses['429']!, { ...COUNTED, 'Retry-After': header('RetryAfter') });
}

function add(response: ResponseObject, headers: Readonly<Record<string, unknown>>): void {
  response.headers = { ...response.headers, ...headers };
}
