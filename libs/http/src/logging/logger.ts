import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingHttpHeaders } from 'node:http';
import { type DestinationStream, type Logger, pino } from 'pino';
import { currentSpan, readTraceparent } from '#tracing';

/** By which lines of a log are found together. */
export interface LogFacts {
  readonly requestId: string;
  /** Of the trace (W3C Trace Context): the caller's, or one that began here where traces are made. */
  readonly traceId?: string;
  /** Slug; only once the caller is known. */
  readonly tenant?: string;
}

/** What is known of the request that is being worked on, wherever in the code something is logged. */
export const requestContext = new AsyncLocalStorage<() => LogFacts>();

interface AskedBy {
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  readonly actor?: { readonly tenantSlug: string };
  /** Of its span, where traces are made. */
  readonly traceId?: string | null;
}

/** @param request as it is now: who asks is known only after its guard */
export function factsOf(request: AskedBy): LogFacts {
  const traceId = request.traceId ?? readTraceparent(request.headers.traceparent)?.traceId;
  return { requestId: request.id, ...(traceId && { traceId }), ...(request.actor && { tenant: request.actor.tenantSlug }) };
}

/** Of work in the background. */
function traceFacts(): { readonly traceId?: string } {
  const span = currentSpan();
  return span ? { traceId: span.traceId } : {};
}

/** Names under which a secret may travel; nobody logs them on purpose, this is the second wall. */
const SECRET_NAMES = [
  'password',
  'passwordHash',
  'secret',
  'secretHash',
  'accessToken',
  'refreshToken',
  'signature',
  'authorization',
  'privateKey',
  'token',
];

/** JSON lines with the ids of the request, its tenant and its trace; `destination` is for tests. */
export function createLogger(options: { readonly level: string }, destination?: DestinationStream): Logger {
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
      mixin: () => requestContext.getStore()?.() ?? traceFacts(),
      redact: { paths: SECRET_NAMES.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[secret]' },
      serializers: { err: describeError, error: describeError },
    },
    destination as DestinationStream,
  );
}

/**
 * An error by what helps and cannot leak: errors of the database driver also carry the statement's parameters.
 * @param depth how many causes are told
 */
export function describeError(error: unknown, depth = 3): unknown {
  if (!(error instanceof Error)) return String(error);
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return {
    type: error.name,
    message: error.message,
    ...(code !== undefined && { code }),
    stack: error.stack,
    ...(cause !== undefined && depth > 0 && { cause: describeError(cause, depth - 1) }),
  };
}
