import { HttpException } from '@nestjs/common';
import { DomainError, type Problem } from '#kernel';

/** RFC 9457, with a stable `code` and, for content, `errors` (reliability-decisions §4). */
export interface ProblemDetails {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly instance: string;
  readonly requestId: string;
  readonly errors?: readonly Problem[];
  readonly [extension: string]: unknown;
}

export interface RequestFacts {
  readonly path: string;
  readonly requestId: string;
}

/** Codes of refusals that the HTTP layer itself makes; everything else names its own. */
const CODE_OF_STATUS: Readonly<Record<number, string>> = {
  400: 'malformed_request',
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'route_not_found',
  405: 'method_not_allowed',
  413: 'payload_too_large',
  414: 'path_too_long',
  415: 'unsupported_media_type',
  429: 'rate_limited',
  503: 'unavailable',
};

/** What a caller may read of an error. An error that nobody meant for callers says only that it happened. */
export function problemOf(error: unknown, request: RequestFacts): ProblemDetails {
  if (error instanceof DomainError) {
    const { errors, retryAfterSeconds: _, ...extensions } = error.details;
    return problem(error.status, error.code, error.message, request, { ...extensions, ...(errors && { errors }) });
  }
  const status = error instanceof HttpException ? error.getStatus() : fastifyStatus(error);
  if (status !== null && status < 500)
    return problem(status, CODE_OF_STATUS[status] ?? 'refused', (error as Error).message || 'The request is refused.', request);
  return problem(500, 'internal_error', 'Something went wrong here; the operator finds it by the request id.', request);
}

/** The refusal of one item of a request that goes on without it: what a refused request would say, without the request. */
export function itemProblem(error: DomainError): Omit<ProblemDetails, 'instance' | 'requestId'> {
  const { instance: _, requestId: __, ...problemOfItem } = problemOf(error, { path: '', requestId: '' });
  return problemOfItem;
}

/** Fastify's own refusals carry their status; any other error with such a property was not written for callers. */
function fastifyStatus(error: unknown): number | null {
  const { code, statusCode } = (error ?? {}) as { code?: unknown; statusCode?: unknown };
  return typeof code === 'string' && code.startsWith('FST_ERR_') && typeof statusCode === 'number' ? statusCode : null;
}

function problem(status: number, code: string, detail: string, request: RequestFacts, extensions: object = {}): ProblemDetails {
  return {
    type: `urn:traceability:problem:${code}`,
    title: titleOf(code),
    status,
    code,
    detail,
    instance: request.path,
    requestId: request.requestId,
    ...extensions,
  };
}

export const titleOf = (code: string): string => code.charAt(0).toUpperCase() + code.slice(1).replaceAll('_', ' ');
