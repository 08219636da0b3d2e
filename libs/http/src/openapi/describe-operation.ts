import { STATUS_CODES } from 'node:http';
import { applyDecorators, Header } from '@nestjs/common';
import { ApiExtension, ApiOperation } from '@nestjs/swagger';
import { tenantLotsAbi, tenantRegistryAbi } from '#contracts';
import { revertCode } from '#kernel';
import { ACCESS_EXTENSION, type AccessRule } from '../access/access.js';
import { keepsAnswers } from '../idempotency/answer.js';
import { LIMIT_EXTENSION } from '../limits/rate-limits.js';
import { ANSWER_HEADERS, sentenceOf } from '../problems/api-problems.js';
import { HEAVY_EXTENSION } from '../heavy-work/heavy.js';
import { PROBLEM_JSON } from '../problems/problem-filter.js';
import { PROBLEM_FORM_EXTENSION, problemFormNamed } from '../problems/problem-form.js';
import { type ProblemDetails, titleOf } from '../problems/problem.js';

export const BEARER = 'bearer';
export const API_KEY = 'apiKey';

/** An operation of the OpenAPI document, with the extensions that its decorators have added. */
export interface Operation {
  operationId?: string;
  parameters?: readonly unknown[];
  readonly requestBody?: unknown;
  readonly responses: Record<string, ResponseObject | undefined>;
  security?: object[];
  [extension: `x-${string}`]: unknown;
}

interface ResponseObject {
  readonly description: string;
  headers?: Readonly<Record<string, unknown>>;
  readonly content?: unknown;
}

/** Adds everything to an operation that follows from common rules, so that no controller has to declare it. */
export function describeOperation(operation: Operation, method: string, path: string): void {
  describeAnswerHeaders(operation);
  describeIdempotency(operation, method, path);
  describeRequestErrors(operation, method, path);
  describeSecurity(operation);
  describePreparation(operation, path);
  describeLimit(operation);
  if (!path.startsWith('/health/')) addErrors(operation, 503, 'database_unavailable');
  addErrors(operation, 503, 'stopping');
  describeExamples(operation, path);
  describeProblemForm(operation);
}

function describeAnswerHeaders(operation: Operation): void {
  const headers = (operation[ANSWER_HEADERS] ?? {}) as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  delete operation[ANSWER_HEADERS];
  for (const [status, names] of Object.entries(headers)) {
    const response = operation.responses[status];
    if (response) addHeaders(response, names);
  }
}

/** Adds error codes to a status of this operation, after those of its decorators. */
function addErrors({ responses }: Operation, status: number, ...codes: readonly string[]): void {
  const existing = responses[status];
  const added = codes.filter((code) => !existing?.description.includes(`\`${code}\``)).map((code) => `\`${code}\``);
  responses[status] = {
    description: [...(existing?.description ? [existing.description] : []), ...added].join(', '),
    ...(existing?.headers && { headers: existing.headers }),
    content: existing?.content ?? { [PROBLEM_JSON]: { schema: { $ref: '#/components/schemas/Problem' } } },
  };
}

const KEY_PARAMETER = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes the request repeatable for 24 hours: the same key with the same request returns the same response (with `Idempotency-Replayed: true` and without its secrets) and has no second effect.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
};

/** Uses the same rule as the interceptor. */
function describeIdempotency(operation: Operation, method: string, path: string): void {
  if (!keepsAnswers(method.toUpperCase(), path, operation[ACCESS_EXTENSION] as AccessRule | undefined)) return;
  operation.parameters = [...(operation.parameters ?? []), KEY_PARAMETER];
  addErrors(operation, 409, 'idempotency_still_running');
  addErrors(operation, 422, 'idempotency_key_reused');
  addErrors(operation, 429, 'too_many_answers_kept');
}

/** Errors of the HTTP layer itself. A client may send a body where none is expected: it is read all the same. */
function describeRequestErrors(operation: Operation, method: string, path: string): void {
  const { parameters = [], requestBody } = operation;
  addErrors(operation, 400, 'malformed_request', ...(path.startsWith('/api/') ? ['unknown_parameter'] : []));
  if ((parameters as { readonly in?: string }[]).some((parameter) => parameter.in === 'path')) addErrors(operation, 414, 'path_too_long');
  addErrors(operation, 431, 'headers_too_large');
  if (requestBody !== undefined || method.toUpperCase() !== 'GET') {
    addErrors(operation, 408, 'request_timeout');
    addErrors(operation, 413, 'payload_too_large');
    addErrors(operation, 415, 'unsupported_media_type', 'unsupported_content_coding');
  }
  addErrors(operation, 500, 'internal_error');
}

type Abi = readonly { readonly type: string; readonly name?: string }[];
const CONFLICTS = new Set(['tlc_taken', 'event_exists', 'tenant_exists']);

/** Codes of the custom errors of a contract. */
function addReverts(operation: Operation, abi: Abi): void {
  const codes = abi.flatMap(({ type, name }) => (type === 'error' && name !== undefined ? [revertCode(name)] : []));
  addErrors(operation, 409, ...codes.filter((code) => CONFLICTS.has(code)));
  addErrors(operation, 422, ...codes.filter((code) => !CONFLICTS.has(code)));
}

/**
 * A prepare operation estimates a call on a node, for a sender. One of a tenant (`/api/v1`) calls the tenant's contract, and stores the
 * content of the hashes in the call. A batch reports the errors of its items in its response.
 */
function describePreparation(operation: Operation, path: string): void {
  const prepare = /\/prepare(?<batch>\/batch)?$/.exec(path);
  const isMarked = operation[PREPARES_EXTENSION] !== undefined;
  delete operation[PREPARES_EXTENSION];
  if (operation[ESTIMATES_EXTENSION] !== undefined) {
    delete operation[ESTIMATES_EXTENSION];
    addErrors(operation, 422, 'tx_would_revert', 'gas_limit_exceeded');
    addReverts(operation, tenantLotsAbi);
  }
  if (!prepare && !isMarked) return;
  const isBatch = prepare?.groups?.['batch'] !== undefined;
  addErrors(operation, 503, 'chain_unavailable');
  if (!isBatch) {
    addErrors(operation, 422, 'tx_would_revert', 'gas_limit_exceeded');
    addReverts(operation, path.startsWith('/api/v2/tenants/') ? tenantRegistryAbi : tenantLotsAbi);
  }
  if (!path.startsWith('/api/v1/') && !isMarked) return;
  if (!isBatch) {
    addErrors(operation, 403, 'foreign_sender');
    addErrors(operation, 422, 'invalid_content');
  }
  addErrors(operation, 409, 'tenant_has_no_contract');
  addErrors(operation, 429, 'quota_exceeded');
  addErrors(operation, 503, 'content_storage_unavailable');
}

const PREPARES_EXTENSION = 'x-prepares';
/** A route that prepares a call of the tenant's contract and whose path does not say so. */
export const PreparesCall = (): MethodDecorator => ApiExtension(PREPARES_EXTENSION, true);

const ESTIMATES_EXTENSION = 'x-estimates';
/** A route that asks a node whether prepared calls of the tenant's contract would still run: it answers as the contract does. */
export const EstimatesCalls = (): MethodDecorator => ApiExtension(ESTIMATES_EXTENSION, true);

const UNAUTHENTICATED = ['unauthenticated', 'invalid_token', 'token_expired'];

/** The credentials that a route accepts, from its own `@Access`: the document cannot differ from the guard. */
function describeSecurity(operation: Operation): void {
  const rule = operation[ACCESS_EXTENSION] as AccessRule | undefined;
  operation.security = rule === 'public' ? [] : acceptsApiKeys(rule) ? [{ [BEARER]: [] }, { [API_KEY]: [] }] : [{ [BEARER]: [] }];
  // A key is checked wherever it is sent, also on a route that does not accept keys.
  if (rule !== 'public') addErrors(operation, 401, ...UNAUTHENTICATED, 'invalid_api_key');
  if (rule !== 'public') addErrors(operation, 400, 'two_credentials');
  if (rule !== 'public') addErrors(operation, 403, ...accessErrors(rule));
}

const acceptsApiKeys = (rule: AccessRule | undefined): boolean => rule === 'member' || (typeof rule === 'object' && !rule.bearerOnly);

function accessErrors(rule: AccessRule | undefined): readonly string[] {
  if (rule === 'platform') return ['platform_admin_required', 'bearer_required'];
  if (rule === 'partial') return ['bearer_required'];
  const { roles, bearerOnly } = typeof rule === 'object' ? rule : {};
  const everyProcess = typeof rule === 'object' && 'everyProcess' in rule && rule.everyProcess;
  return [
    'partial_token',
    'tenant_required',
    ...(bearerOnly ? ['bearer_required'] : []),
    ...(roles ? ['role_required'] : []),
    ...(everyProcess ? ['beyond_own_grants'] : []),
  ];
}

/** draft-ietf-httpapi-ratelimit-headers-10; the limits are explained in docs/explanation/limits.md. */
export const LIMIT_HEADERS = {
  RateLimitPolicy: {
    description: 'The limit that applies: q requests in w seconds',
    schema: { type: 'string', examples: ['"principal";q=600;w=60'] },
  },
  RateLimit: {
    description: 'r requests left, t seconds until the next window',
    schema: { type: 'string', examples: ['"principal";r=599;t=60'] },
  },
  RetryAfter: { description: 'Seconds to wait', schema: { type: 'integer' } },
};
const header = (name: keyof typeof LIMIT_HEADERS): object => ({ $ref: `#/components/headers/${name}` });
const LIMIT_REFERENCES = { 'RateLimit-Policy': header('RateLimitPolicy'), RateLimit: header('RateLimit') };

/** Every route has a rate limit, except the health checks. */
function describeLimit(operation: Operation): void {
  const { responses } = operation;
  if (operation[LIMIT_EXTENSION] === 'none') return;
  for (const [status, response] of Object.entries(responses))
    if (response && status.startsWith('2')) addHeaders(response, LIMIT_REFERENCES);
  addErrors(operation, 429, 'rate_limited');
  // A login that cannot be counted is refused (`RateLimits.address`).
  if (operation[LIMIT_EXTENSION] === 'login') addErrors(operation, 503, 'queue_unavailable');
  if (operation[HEAVY_EXTENSION]) {
    addErrors(operation, 429, 'too_many_heavy_requests');
    if (operation.requestBody) addErrors(operation, 429, 'too_many_bytes_waiting');
    addErrors(operation, 503, 'service_busy');
  }
  addHeaders(responses['429']!, { ...LIMIT_REFERENCES, 'Retry-After': header('RetryAfter') });
}

function addHeaders(response: ResponseObject, headers: Readonly<Record<string, unknown>>): void {
  response.headers = { ...response.headers, ...headers };
}

/** One example for each error code in the description of a status. */
function describeExamples({ responses }: Operation, path: string): void {
  for (const [status, response] of Object.entries(responses)) {
    const content = response?.content as Record<string, { examples?: Examples }> | undefined;
    const media = content?.[PROBLEM_JSON];
    if (!response || !media) continue;
    const codes = [...response.description.matchAll(/`([a-z][a-z0-9_]*)`/g)].map(([, code]) => code!);
    const examples = Object.fromEntries(
      codes.map((code) => [
        code,
        { summary: titleOf(code), value: example(Number(status), code, path, media.examples?.[code]?.value.detail) },
      ]),
    );
    // Not written into it: operations may share the content of a decorator, and an example has the path of its own.
    responses[status] = { ...response, content: { ...content, [PROBLEM_JSON]: { ...media, examples } } };
  }
}

/** Routes that write problems in a form of a standard write those of RFC 9457 too, where there is no route yet. */
function describeProblemForm(operation: Operation): void {
  const form = problemFormNamed(operation[PROBLEM_FORM_EXTENSION]);
  delete operation[PROBLEM_FORM_EXTENSION];
  if (!form) return;
  for (const response of Object.values(operation.responses)) {
    const content = response?.content as Record<string, { readonly examples?: Examples }> | undefined;
    const media = content?.[PROBLEM_JSON];
    if (!content || !media) continue;
    const examples = Object.entries(media.examples ?? {}).map(([code, { value, ...one }]) => [
      code,
      { ...one, value: form.write(value as ProblemDetails) },
    ]);
    content[form.type] = { schema: form.schema, examples: Object.fromEntries(examples) } as never;
  }
}

type Examples = Readonly<Record<string, { readonly value: { readonly detail?: string | undefined } }>>;

const example = (status: number, code: string, path: string, detail: string | undefined) => ({
  type: `urn:traceability:problem:${code}`,
  title: titleOf(code),
  status,
  code,
  detail: detail ?? sentenceOf(code) ?? `${titleOf(code)} (${STATUS_CODES[status]}).`,
  instance: path,
  requestId: '0b9a4c1e-6f0e-4b61-9d0f-3d0c5a2f7e11',
  ...(WITH_ERRORS.has(code) && {
    errors: [{ pointer: '/metadata/quantity', code: 'required', message: '/metadata/quantity is missing.' }],
  }),
});
/** Problems with a list of errors and their pointers. */
const WITH_ERRORS = new Set(['malformed_request', 'unknown_parameter', 'invalid_content']);

interface Deprecation {
  /** ISO dates, at least a year apart (docs/spec/domain.md#open-points). */
  readonly since: string;
  readonly sunset: string;
  /** Path of the route that replaces it. */
  readonly successor: string;
}

const YEAR_MS = 365 * 86_400_000;

/**
 * Marks a route that will be removed: RFC 9745 `Deprecation`, RFC 8594 `Sunset`, a link to its replacement, and the mark in the OpenAPI
 * document. @throws when callers would have less than a year
 */
export function Deprecated({ since, sunset, successor }: Deprecation): MethodDecorator {
  const [from, until] = [Date.parse(since), Date.parse(sunset)];
  if (!(until - from >= YEAR_MS))
    throw new Error(`a route that is deprecated on ${since} must not be removed on ${sunset}: callers have 12 months`);
  return applyDecorators(
    ApiOperation({ deprecated: true }, { overrideExisting: false }),
    Header('Deprecation', `@${from / 1000}`),
    Header('Sunset', new Date(until).toUTCString()),
    Header('Link', `<${successor}>; rel="successor-version"`),
  );
}
