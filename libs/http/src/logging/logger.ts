import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingHttpHeaders } from 'node:http';
import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Logger, pino } from 'pino';
import { currentSpan, readTraceparent } from '#tracing';
import { RepeatedLines } from './repeated-lines.js';

/** Fields by which related log lines are found. */
interface LogFacts {
  readonly requestId: string;
  /** Trace id (W3C Trace Context) of the caller, or of a trace that started here if tracing is on. */
  readonly traceId?: string;
  /** Slug, known only after authentication. */
  readonly tenant?: string;
}

/** The log fields of the current request, available everywhere in the code. */
export const requestContext = new AsyncLocalStorage<() => LogFacts>();

interface LoggedRequest {
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  readonly actor?: { readonly tenantSlug: string };
  /** From its span, if tracing is on. */
  readonly traceId?: string | null;
}

/** @param request in its current state: the caller is known only after the guard */
export function factsOf(request: LoggedRequest): LogFacts {
  const traceId = request.traceId ?? readTraceparent(request.headers.traceparent)?.traceId;
  return { requestId: request.id, ...(traceId && { traceId }), ...(request.actor && { tenant: request.actor.tenantSlug }) };
}

/** For background work. */
function spanFacts(): { readonly traceId?: string } {
  const span = currentSpan();
  return span ? { traceId: span.traceId } : {};
}

/** Field names that may contain a secret. No code logs them on purpose; this is a second protection. */
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

/** Logs JSON lines with request id, tenant and trace id. `destination` is for tests. */
export function createLogger(options: { readonly level: string }, destination?: DestinationStream): Logger {
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
      mixin: () => requestContext.getStore()?.() ?? spanFacts(),
      redact: { paths: SECRET_NAMES.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[secret]' },
      serializers: { err: describeError, error: describeError },
    },
    destination as DestinationStream,
  );
}

/**
 * The fields of an error that are useful and safe. Errors of the database driver also contain the statement's parameters, which are left out.
 * @param depth number of causes to include
 */
function describeError(error: unknown, depth = 3): unknown {
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

/** Writes Nest's own messages to the service's log; its start-up messages (routes, modules) only at `debug`. A fault that repeats is one line a minute. */
export class NestLogger implements LoggerService {
  private readonly faults = new RepeatedLines();

  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    const context = contextOf(rest);
    this.write(context !== null && STARTUP_CONTEXTS.has(context) ? 'debug' : 'info', message, rest);
  }
  error(message: unknown, ...rest: unknown[]): void {
    // An error that ends the start is thrown too, and the program says it in a sentence.
    this.write(contextOf(rest) === START_FAILED ? 'debug' : 'error', message, rest);
  }
  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }
  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }
  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }
  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  private write(level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal', message: unknown, rest: readonly unknown[]): void {
    const err = message instanceof Error ? message : rest.find((item) => item instanceof Error);
    const stack = rest.find((item) => typeof item === 'string' && item.includes('\n    at '));
    const context = contextOf(rest);
    const text = message instanceof Error ? message.message : typeof message === 'string' ? message : JSON.stringify(message);
    const facts = { ...(context !== null && { context }), ...(err !== undefined && { err }), ...(stack !== undefined && { stack }) };
    if (level !== 'warn' && level !== 'error') return this.logger[level](facts, text);
    const parts = [level, context, text, err instanceof Error ? err.stack : null];
    this.faults.write(parts, (repeated) => this.logger[level]({ ...facts, ...(repeated > 0 && { repeated }) }, text));
  }
}

/** Nest's own context of an error while it creates the application. */
export const START_FAILED = 'ExceptionHandler';
const STARTUP_CONTEXTS = new Set(['InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestFactory', 'NestApplication']);

/** Nest passes the context as the last argument. */
function contextOf(rest: readonly unknown[]): string | null {
  const last = rest.at(-1);
  return typeof last === 'string' && !last.includes('\n') ? last : null;
}
