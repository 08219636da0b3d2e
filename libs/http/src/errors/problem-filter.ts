import { type ArgumentsHost, Catch, type ExceptionFilter, NotFoundException } from '@nestjs/common';
import { DomainError } from '#kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { type Answer, REPLAYED, Replay } from '../idempotency/answer.js';
import { problemOf } from './problem.js';
import type { AllowedMethods } from '../allowed-methods.js';
import { methodNotAllowed, requestAborted } from './refusals.js';

export const PROBLEM_JSON = 'application/problem+json';

/** Turns whatever a route throws into RFC 9457, once, for the whole service. */
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

  /** RFC 9110 §15.5.6: an address that is there, asked with a method that it does not take. */
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
  // Such a request gets no line of its own at its end.
  if (aborted) logger.info({ requestId: request.id, path: problem.instance }, problem.code);
  if (problem.status >= 500) logger.error({ requestId: request.id, err: error }, problem.code);
  if (reply.sent) return;
  const wait = error instanceof DomainError ? error.details.retryAfterSeconds : undefined;
  if (wait !== undefined) void reply.header('retry-after', String(wait));
  if (problem.status === 401) void reply.header('www-authenticate', 'Bearer');
  // Refused by the router, a request has met no hook yet.
  void reply.header('x-request-id', request.id);
  // A string goes out as it is; an object under this content type would need a serializer of its own.
  void reply.code(problem.status).header('content-type', PROBLEM_JSON).send(JSON.stringify(problem));
}

/** Byte for byte what was answered before, and marked as such. */
function replay({ status, contentType, body }: Answer, reply: FastifyReply): void {
  void reply.code(status).header(REPLAYED, 'true');
  void (body === null ? reply.send() : reply.header('content-type', contentType).send(body));
}
