import { HttpException } from '@nestjs/common';
import { DomainError, type Problem } from '#kernel';

/** RFC 9457, with a stable `code` and, for content, `errors` (docs/spec/reliability.md#errors-and-limits). */
export interface ProblemDetails {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly instance: string;
  readonly requestId: string;
  readonly errors?: readonly Problem[];
  readonly moreErrors?: number;
  readonly [extension: string]: unknown;
}

interface RequestFacts {
  readonly path: string;
  readonly requestId: string;
}

/** Codes of errors of the HTTP layer itself; all other errors have their own code. */
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

/** The part of an error that the caller may see. For an unexpected error this is only that it happened. */
export function problemOf(error: unknown, request: RequestFacts): ProblemDetails {
  if (error instanceof DomainError) {
    const { errors, retryAfterSeconds: _, ...extensions } = error.details;
    return problem(error.status, error.code, error.message, request, { ...extensions, ...(errors && { errors }) });
  }
  const status = error instanceof HttpException ? error.getStatus() : fastifyStatus(error);
  if (status !== null && status < 500)
    return problem(status, CODE_OF_STATUS[status] ?? 'refused', (error as Error).message || 'The request was refused.', request);
  return problem(500, 'internal_error', 'An internal error occurred. The operator can find it in the log by the request id.', request);
}

/** The error of one item of a request that continues without it: like a problem, but without the fields of the request. */
export function itemProblem(error: DomainError): Omit<ProblemDetails, 'instance' | 'requestId'> {
  const { instance: _, requestId: __, ...problemOfItem } = problemOf(error, { path: '', requestId: '' });
  return problemOfItem;
}

/** Fastify's own errors have a status. The message of any other error with such a property is not meant for callers. */
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
