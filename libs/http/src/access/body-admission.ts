import type { Type } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** The method that answers a route, and its controller: what Nest's metadata are read from. */
export interface RouteHandler {
  readonly handler: (...args: never[]) => unknown;
  readonly controller: Type<unknown>;
}

/** Decides about a request before its body is read. The guard of the same request does not decide again. */
export abstract class BodyAdmission {
  /** @throws DomainError what the route itself would answer: 401, 403, 429 */
  abstract admit(route: RouteHandler, request: FastifyRequest, reply: FastifyReply): void | Promise<void>;
}
