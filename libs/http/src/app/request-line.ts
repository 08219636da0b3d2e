import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { DomainError } from '#kernel';
import { malformedRequest } from '../problems/refusals.js';
import { type AllowedMethods, answerProblem } from '../problems/problem-filter.js';

/** Refuses requests that another server in front may read differently (RFC 9112 §3.2, §6.1), and preflights of addresses that nobody has. */
export function addRequestChecks(fastify: FastifyInstance, allowed: AllowedMethods, logger: Logger): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    const refusal = ambiguity(request) ?? preflightOfNothing(request, allowed);
    // What follows on this connection may not begin where this server believes.
    if (refusal && refusal.status !== 404) void reply.header('connection', 'close');
    // Answered here: the route of a preflight is not Nest's, so its errors pass no filter.
    if (refusal) answerProblem(refusal, request, reply, logger);
    else done();
  });
}

function ambiguity({ raw }: FastifyRequest): DomainError | null {
  const { rawHeaders, headers } = raw;
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]!.length === 4 && rawHeaders[i]!.toLowerCase() === 'host') hosts++;
  if (hosts > 1) return malformedRequest([{ pointer: '', code: 'repeated_header', message: 'The request has more than one Host header.' }]);
  const coding = headers['transfer-encoding'];
  if (coding === undefined || coding.trim().toLowerCase() === 'chunked') return null;
  const message = `The transfer coding ${coding} is not supported; send the body as it is, or chunked.`;
  return malformedRequest([{ pointer: '', code: 'unsupported_transfer_coding', message }]);
}

/** The plugin for CORS answers every preflight, also of addresses that do not exist. */
function preflightOfNothing({ method, url }: FastifyRequest, allowed: AllowedMethods): DomainError | null {
  if (method !== 'OPTIONS') return null;
  const path = url.split('?', 1)[0]!;
  return allowed.at(path).length > 0 ? null : new DomainError('route_not_found', 404, `Cannot OPTIONS ${path}`);
}
