import type { FastifyInstance, FastifyRequest } from 'fastify';
import { beginSpan, tracingIsOn, within } from '#tracing';

type TracedRequest = FastifyRequest & { traceId: string | null; readonly actor?: { readonly tenantId: string } };

/**
 * Each request in a span of its own, which goes on with the caller's trace or begins one. It tells the pattern of the route, never what
 * was asked for: a path may hold a one-time token. Health checks are none.
 */
export function traceRequests(fastify: FastifyInstance): void {
  if (!tracingIsOn()) return;
  fastify.decorateRequest('traceId', null);
  fastify.addHook('onRequest', (given, reply, done) => {
    const request = given as TracedRequest;
    const route = request.routeOptions.url;
    if (request.url.startsWith('/health/')) return done();
    const facts = {
      'http.request.method': request.method,
      ...(route !== undefined && { 'http.route': route }),
      'traceability.request.id': request.id,
    };
    const span = beginSpan(`${request.method} ${route ?? 'none'}`, { kind: 'server', parent: header(request), facts });
    if (!span) return done();
    request.traceId = span.traceId;
    // Comes however it ends, and after everything else that is done for it.
    reply.raw.once('close', () => {
      const { statusCode, writableFinished } = reply.raw;
      if (request.actor) span.add({ 'traceability.tenant.id': request.actor.tenantId });
      if (writableFinished) span.add({ 'http.response.status_code': statusCode });
      if (!writableFinished) span.fail({ code: 'aborted' });
      else if (statusCode >= 500) span.fail({ code: String(statusCode) });
      span.end();
    });
    within(span, done);
  });
}

const header = ({ headers }: FastifyRequest): string | null => (typeof headers.traceparent === 'string' ? headers.traceparent : null);
