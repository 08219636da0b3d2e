import type { FastifyInstance, FastifyRequest } from 'fastify';
import { beginSpan, tracingIsOn, within } from '#tracing';

type RequestWithSpan = FastifyRequest & { traceId: string | null; readonly actor?: { readonly tenantId: string } };

/**
 * Runs each request in a span, which continues the caller's trace or starts one. The span contains the pattern of the route, never the
 * path, which may contain a one-time token. Health checks have no span.
 */
export function addRequestSpans(fastify: FastifyInstance): void {
  if (!tracingIsOn()) return;
  fastify.decorateRequest('traceId', null);
  fastify.addHook('onRequest', (given, reply, done) => {
    const request = given as RequestWithSpan;
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
    // Always emitted, after all other work for the request.
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
