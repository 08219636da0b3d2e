import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type ArgumentsHost, Catch, type ExceptionFilter, NotFoundException } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { DomainError, EngineUnavailable, isDigitalLinkPath } from '#kernel';
import { RepeatedLines } from '../logging/repeated-lines.js';
import { type Answer, Replay, REPLAYED } from '../idempotency/answer.js';
import type { RouteRules } from './problem-form.js';
import { problemOf } from './problem.js';
import { malformedRequest, methodNotAllowed, requestAborted } from './refusals.js';

export const PROBLEM_JSON = 'application/problem+json';

/** The methods that the routes of an application accept at a path. Used only when no route matches the request. */
export class AllowedMethods {
  private readonly methods = new Map<string, Set<string>>();
  private patterns: readonly (readonly [RegExp, ReadonlySet<string>])[] | null = null;
  /** Whether there is a route for the paths of GS1 Digital Links. */
  private resolves = false;

  /** Records every route that is registered from now on. */
  static of(fastify: FastifyInstance): AllowedMethods {
    const allowed = new AllowedMethods();
    fastify.addHook('onRoute', ({ url, method, constraints }) => {
      if ((constraints as { digitalLink?: string } | undefined)?.digitalLink) allowed.resolves = true;
      // A wildcard route matches every path.
      else if (url !== '*' && url !== '/*') allowed.add(url, [method].flat());
    });
    return allowed;
  }

  /** @param path as in the request, without the query @returns in alphabetical order; empty for an unknown path */
  at(path: string): readonly string[] {
    if (this.resolves && isDigitalLinkPath(path)) return ['GET', 'HEAD', 'OPTIONS'];
    this.patterns ??= [...this.methods].map(([url, methods]) => [patternOf(url), methods] as const);
    const allowed = this.patterns.filter(([pattern]) => pattern.test(path)).flatMap(([, methods]) => [...methods]);
    return [...new Set(allowed)].toSorted();
  }

  /** Name of the parameter in the segment of a path that is not UTF-8; null where no route has that many segments. */
  unreadableParameter(path: string): string | null {
    const segments = path.split('/');
    const unreadable = segments.findIndex((segment) => !isUtf8(segment));
    const routes = [...this.methods.keys()].map((url) => url.split('/')).filter((route) => route.length === segments.length);
    const fitting = routes.find((route) => route.every((part, i) => part.startsWith(':') || (i !== unreadable && part === segments[i])));
    return fitting?.[unreadable]?.slice(1) ?? null;
  }

  private add(url: string, methods: readonly string[]): void {
    const known = this.methods.get(url) ?? new Set();
    for (const method of methods) known.add(method);
    this.methods.set(url, known);
    this.patterns = null;
  }
}

function isUtf8(segment: string): boolean {
  try {
    decodeURIComponent(segment);
    return true;
  } catch {
    return false;
  }
}

/** What the router refuses, before any hook: with a pointer where it is a parameter. */
export function routerProblem(error: Error & { readonly code?: string }, path: string, allowed: AllowedMethods): Error {
  if (error.code !== 'FST_ERR_BAD_URL') return error;
  const name = allowed.unreadableParameter(path);
  const message = name === null ? 'The path is not valid: its escapes are not UTF-8.' : `${name} in the path is not UTF-8 text.`;
  return malformedRequest([{ pointer: name === null ? '' : `/${name}`, code: 'not_utf8', message }]);
}

/** For routes like `/lots/:id` and `/assets/*`. */
function patternOf(url: string): RegExp {
  const escaped = url.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${escaped.replaceAll(/:\w+/g, '[^/]+').replaceAll('*', '.*')}$`);
}

/** Turns every error of a route into RFC 9457, for the whole service. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(
    private readonly logger: Logger,
    private readonly allowed: AllowedMethods,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const [request, reply] = [http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>()];
    answerProblem(this.wrongMethod(error, request, reply) ?? error, request, reply, this.logger);
  }

  /** RFC 9110 §15.5.6: the path exists, but not for this method. */
  private wrongMethod(error: unknown, request: FastifyRequest, reply: FastifyReply): Error | null {
    if (!(error instanceof NotFoundException && request.is404)) return null;
    const methods = this.allowed.at(request.url.split('?', 1)[0]!);
    if (methods.length === 0) return null;
    void reply.header('allow', methods.join(', '));
    return methodNotAllowed(request.method, methods.join(', '));
  }
}

export function answerProblem(error: unknown, request: FastifyRequest, reply: FastifyReply, logger: Logger): void {
  if (error instanceof Replay) return replay(error.answer, reply);
  const aborted = request.raw.destroyed && !request.raw.complete;
  const problem = problemOf(aborted ? requestAborted() : error, { path: request.url.split('?', 1)[0]!, requestId: request.id });
  // An aborted request has no log line of its own.
  if (aborted) logger.info({ requestId: request.id, path: problem.instance }, problem.code);
  if (error instanceof EngineUnavailable) logAway(error, request, logger);
  else if (problem.status >= 500) logger.error({ requestId: request.id, err: error }, problem.code);
  if (reply.sent) return;
  const wait = error instanceof DomainError ? error.details.retryAfterSeconds : undefined;
  if (wait !== undefined) void reply.header('retry-after', String(wait));
  if (problem.status === 401) void reply.header('www-authenticate', 'Bearer');
  // A request that the router refuses has not passed any hook.
  void reply.header('x-request-id', request.id);
  const { problems: form } = (request.routeOptions?.config ?? {}) as Partial<RouteRules>;
  // A string is sent unchanged; an object with this content type would need its own serializer.
  void reply
    .code(problem.status)
    .header('content-type', form?.type ?? PROBLEM_JSON)
    .send(JSON.stringify(form?.write(problem) ?? problem));
}

const away = new WeakMap<Logger, RepeatedLines>();

/** Every request fails while an engine is away: one line a minute says so, of one of them and without a stack. */
function logAway(error: EngineUnavailable, request: FastifyRequest, logger: Logger): void {
  const lines = away.get(logger) ?? new RepeatedLines();
  away.set(logger, lines);
  lines.write([error.report], (repeated) =>
    logger.error({ requestId: request.id, code: error.code, ...(repeated > 0 && { repeated }) }, error.report),
  );
}

/** Sends the stored answer byte for byte, with a header that marks it. */
function replay({ status, contentType, body }: Answer, reply: FastifyReply): void {
  void reply.code(status).header(REPLAYED, 'true');
  void (body === null ? reply.send() : reply.header('content-type', contentType).send(body));
}

const UNREADABLE = new DomainError('malformed_request', 400, 'This is not a valid HTTP request.');
const REFUSALS: Readonly<Record<string, DomainError>> = {
  HPE_HEADER_OVERFLOW: new DomainError('headers_too_large', 431, 'The headers of the request are too large.'),
  ERR_HTTP_REQUEST_TIMEOUT: new DomainError('request_timeout', 408, 'The request did not arrive completely in time.'),
};

/** Answers errors of Node's HTTP parser, which happen before there is a request: no hook, filter or route sees them. */
export function answerClientError(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  if (socket.writable) socket.end(responseOf(REFUSALS[error.code ?? ''] ?? UNREADABLE), () => socket.destroy());
  else socket.destroy();
}

function responseOf(refusal: DomainError): string {
  const requestId = randomUUID();
  const body = JSON.stringify(problemOf(refusal, { path: '/', requestId }));
  return [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
    `content-type: ${PROBLEM_JSON}; charset=utf-8`,
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    'cache-control: no-store',
    'x-content-type-options: nosniff',
    'connection: close',
    '',
    body,
  ].join('\r\n');
}
