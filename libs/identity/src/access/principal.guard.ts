import { type ExecutionContext, createParamDecorator } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Actor } from '#kernel';
import { type Origin, deviceOf } from './device.js';
import type { BearerPrincipal, Principal } from './principal.js';

/** A request that the access guard let through. */
export type AuthenticatedRequest = FastifyRequest & { actor?: Actor; principal?: Principal };

/** The holder of the bearer token, with or without a tenant: for routes that declare `partial`, `platform` or `bearerOnly`. */
export const CurrentBearer = createParamDecorator((_: unknown, context: ExecutionContext): BearerPrincipal => {
  const { principal } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (principal?.kind !== 'user') throw new Error('CurrentBearer on a route that takes API keys');
  return principal;
});

/** Where the request comes from: for routes that open a session. */
export const From = createParamDecorator((_: unknown, context: ExecutionContext): Origin => {
  const { ip, headers } = context.switchToHttp().getRequest<FastifyRequest>();
  return { ip, ...deviceOf(headers['user-agent']) };
});
