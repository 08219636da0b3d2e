import { type Abstract, type INestApplication, RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { BodyAdmission, type RouteHandler } from '../access/body-admission.js';
import { HeavyBodies } from '../heavy-work/held-bytes.js';

/** A smaller body costs less than a second way of asking who sends it. */
const SMALL = 16 * 1024;

/**
 * Asks who sends a large body before it is read and parsed: without it, anybody could make the service read 20 MB of JSON. Also refuses it
 * while too many bytes wait for heavy work (docs/explanation/limits.md#heavy-requests).
 */
export class LargeBodies {
  private routes: ReadonlyMap<string, RouteHandler> = new Map();
  private admission: BodyAdmission | null = null;
  private heavy: HeavyBodies | null = null;

  /** Its hook runs after those that were added before. */
  static of(fastify: FastifyInstance): LargeBodies {
    const bodies = new LargeBodies();
    fastify.addHook('preParsing', (request, reply, payload, done) => {
      const route = isLarge(request) ? bodies.routes.get(`${request.method} ${request.routeOptions.url}`) : undefined;
      if (!route) return done(null, payload);
      void bodies.refusalOf(route, request, reply).then((refusal) => setImmediate(done, refusal, payload));
    });
    return bodies;
  }

  /** From here on it asks what the modules of the application provide; an application without them has no callers to tell apart. */
  connect(app: INestApplication): void {
    this.routes = routesOf(app);
    this.admission = provided(app, BodyAdmission);
    this.heavy = provided(app, HeavyBodies);
  }

  private async refusalOf(route: RouteHandler, request: FastifyRequest, reply: FastifyReply): Promise<Error | null> {
    try {
      await this.admission?.admit(route, request, reply);
      this.heavy?.admit(route, request, reply);
      return null;
    } catch (error) {
      return error as Error;
    }
  }
}

/** By its length, which a chunked body does not say. */
const isLarge = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > SMALL;

function provided<T>(app: INestApplication, token: Abstract<T>): T | null {
  try {
    return app.get<T>(token, { strict: false });
  } catch {
    return null;
  }
}

/** The handler of each route by its method and its address as Fastify knows it: `POST /api/v1/lots/:id`. */
function routesOf(app: INestApplication): ReadonlyMap<string, RouteHandler> {
  const routes = new Map<string, RouteHandler>();
  const scanner = new MetadataScanner();
  for (const module of app.get(ModulesContainer).values())
    for (const { metatype } of module.controllers.values()) {
      if (typeof metatype !== 'function') continue;
      const controller = metatype as Type<unknown>;
      const prototype = controller.prototype as Readonly<Record<string, RouteHandler['handler']>>;
      for (const name of scanner.getAllMethodNames(prototype)) {
        const handler = prototype[name]!;
        const method = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
        if (method === undefined) continue;
        for (const url of addressesOf(controller, handler)) routes.set(`${RequestMethod[method]} ${url}`, { handler, controller });
      }
    }
  return routes;
}

function addressesOf(controller: object, handler: object): string[] {
  const [outer, inner] = [controller, handler].map((of) => [Reflect.getMetadata(PATH_METADATA, of) as string | string[]].flat());
  return outer!.flatMap((first) =>
    inner!.map(
      (second) =>
        `/${`${first}/${second}`
          .split('/')
          .filter((part) => part !== '')
          .join('/')}`,
    ),
  );
}
