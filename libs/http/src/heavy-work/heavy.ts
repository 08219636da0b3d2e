import { type ExecutionContext, SetMetadata, type Type, applyDecorators } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import { ApiExtension } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { Actor } from '#kernel';
import { network } from '../limits/rate-limits.js';
import type { HeavyCaller } from './heavy-work.js';

type Query = Readonly<Record<string, unknown>>;
type HandlerOf = ReturnType<ExecutionContext['getHandler']>;

const HEAVY = 'trace:heavy';
export const HEAVY_EXTENSION = 'x-heavy';

/**
 * A route whose requests may take long: reports, exports, wide walks, captures. They share the slots of `HeavyWork`.
 * @param when which requests, by their query as it was sent; all of them by default
 */
export const Heavy = (when: (query: Query) => boolean = () => true): MethodDecorator & ClassDecorator =>
  applyDecorators(SetMetadata(HEAVY, when), ApiExtension(HEAVY_EXTENSION, true));

/** A public route that makes something in a slot of `PublicWork` where it is not at hand. */
export const HeavyForPublic = (): MethodDecorator & ClassDecorator => ApiExtension(HEAVY_EXTENSION, true);

/** A walk that asks for more than the default of a page. */
export const isWideWalk = ({ maxDepth, maxNodes, cursor }: Query): boolean =>
  Number(maxNodes) > 500 || Number(maxDepth) > 10 || cursor !== undefined;

/** A list that is read from its first to its last page, or over everything that a lot was made from. */
export const isWholeList = ({ all, tree }: Query): boolean => all === 'true' || tree === 'true';

export type AuthenticatedRequest = FastifyRequest & { readonly actor?: Actor };

/** @param of the handler of a route and its controller */
export function isHeavy(reflector: Reflector, of: readonly [HandlerOf, Type<unknown>], { query }: Pick<FastifyRequest, 'query'>): boolean {
  const when = reflector.getAllAndOverride<((asked: Query) => boolean) | undefined>(HEAVY, [...of]);
  return when?.((query ?? {}) as Query) === true;
}

export const memberOf = ({ tenantId, id }: Actor): HeavyCaller => ({ tenant: tenantId, principal: id });

/** Who sends a body: of routes that everybody may call, each address. */
export const callerOf = ({ actor, ip }: Pick<AuthenticatedRequest, 'actor' | 'ip'>): HeavyCaller =>
  actor ? memberOf(actor) : { tenant: '', principal: network(ip) };
