import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isDigitalLinkPath } from '#kernel';

/** What the pages of any site may read without a credential: what a GS1 Digital Link leads to, and what describes the resolver. */
const OPEN = /^\/(p\/|\.well-known\/gs1resolver$)/;
const isOpen = (path: string): boolean => OPEN.test(path) || isDigitalLinkPath(path);

const OPEN_METHODS = ['GET', 'HEAD', 'OPTIONS'];
const HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': OPEN_METHODS.join(', '),
  'access-control-allow-headers': 'accept, accept-language, if-none-match, x-request-id',
  'access-control-expose-headers': 'link, location, etag, x-request-id, retry-after, ratelimit, ratelimit-policy',
};

/** Adds the headers of CORS to an answer at an open path, a refusal too. @returns the path of the request */
export function openTo({ url }: Pick<FastifyRequest, 'url'>, reply: FastifyReply): string {
  const path = url.split('?', 1)[0]!;
  if (isOpen(path)) void reply.headers(HEADERS);
  return path;
}

/**
 * CORS of open paths, whatever origins the configuration allows to call the rest of the service, and OPTIONS of them. A route with
 * `@RouteConstraints({ digitalLink: 'yes' })` has the paths of GS1 Digital Links alone.
 */
export function addOpenPaths(fastify: FastifyInstance): void {
  fastify.addConstraintStrategy({
    name: 'digitalLink',
    storage: () => {
      const routes = new Map<unknown, never>();
      return { get: (value) => routes.get(value) ?? null, set: (value, route) => void routes.set(value, route as never) };
    },
    deriveConstraint: ({ url = '' }) => (isDigitalLinkPath(url.split('?', 1)[0]!) ? 'yes' : undefined),
    validate: () => undefined,
  });
  fastify.addHook('onRequest', (request, reply, done) => {
    const path = request.url.split('?', 1)[0]!;
    if (request.method !== 'OPTIONS' || !isOpen(path)) return done();
    void reply.code(204).header('allow', OPEN_METHODS.join(', ')).header('access-control-max-age', '86400').send();
  });
  fastify.addHook('onSend', (request, reply, payload, done) => {
    openTo(request, reply);
    done(null, payload);
  });
}
