import { type ExecutionContext, SetMetadata, applyDecorators, createParamDecorator } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import type { Actor, Role } from '#kernel';

/**
 * What a route asks of its caller. Every route says it; one that says nothing does not start.
 * `public` nobody in particular · `partial` any bearer, a partial token too · `platform` the bearer of a platform
 * administrator · `member` any principal of the tenant · `{ roles }` one of these roles · `{ bearerOnly }` not with an API
 * key.
 */
export type AccessRule =
  | 'public'
  | 'partial'
  | 'platform'
  | 'member'
  | { readonly roles: readonly Role[]; readonly bearerOnly?: true }
  | { readonly bearerOnly: true; readonly roles?: readonly Role[] };

export const ACCESS = 'trace:access';
/** The same rule stands in the OpenAPI document, where it becomes the operation's `security`. */
export const ACCESS_EXTENSION = 'x-access';
export const Access = (rule: AccessRule): ClassDecorator & MethodDecorator =>
  applyDecorators(SetMetadata(ACCESS, rule), ApiExtension(ACCESS_EXTENSION, rule));

/** The caller, as the access guard placed it. */
export const CurrentActor = createParamDecorator((_: unknown, context: ExecutionContext): Actor => {
  const { actor } = context.switchToHttp().getRequest<{ actor?: Actor }>();
  if (!actor) throw new Error('CurrentActor on a route without a tenant');
  return actor;
});
