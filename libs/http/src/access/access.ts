import { type ExecutionContext, SetMetadata, applyDecorators, createParamDecorator } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import type { Actor, Role } from '#kernel';

/**
 * What a route requires of its caller. Every route must declare it, or the service does not start.
 * `public`: nothing · `partial`: any bearer token, also a partial one · `platform`: the bearer token of a platform administrator ·
 * `member`: any principal of the tenant · `{ roles }`: one of these roles · `{ bearerOnly }`: no API key · `{ everyProcess }`: one of the
 * roles covers every process, for what applies to the whole tenant (docs/spec/reliability.md#delegation).
 */
export type AccessRule =
  | 'public'
  | 'partial'
  | 'platform'
  | 'member'
  | { readonly roles: readonly Role[]; readonly bearerOnly?: true; readonly everyProcess?: true }
  | { readonly bearerOnly: true; readonly roles?: readonly Role[] };

export const ACCESS = 'trace:access';
/** Copies the rule into the OpenAPI document, where it becomes the operation's `security`. */
export const ACCESS_EXTENSION = 'x-access';
export const Access = (rule: AccessRule): ClassDecorator & MethodDecorator =>
  applyDecorators(SetMetadata(ACCESS, rule), ApiExtension(ACCESS_EXTENSION, rule));

/** The caller, set by the access guard. */
export const CurrentActor = createParamDecorator((_: unknown, context: ExecutionContext): Actor => {
  const { actor } = context.switchToHttp().getRequest<{ actor?: Actor }>();
  if (!actor) throw new Error('CurrentActor on a route without a tenant');
  return actor;
});
