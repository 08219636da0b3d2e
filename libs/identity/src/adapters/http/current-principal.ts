import { type ExecutionContext, createParamDecorator } from '@nestjs/common';
import type { Principal } from '../../domain/access.js';
import type { AuthenticatedRequest } from './access-guard.js';

export type BearerPrincipal = Extract<Principal, { kind: 'user' }>;

/** The bearer of a token, with or without a tenant: for routes that say `partial`, `platform` or `bearerOnly`. */
export const CurrentBearer = createParamDecorator((_: unknown, context: ExecutionContext): BearerPrincipal => {
  const { principal } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (principal?.kind !== 'user') throw new Error('CurrentBearer on a route that takes API keys');
  return principal;
});
