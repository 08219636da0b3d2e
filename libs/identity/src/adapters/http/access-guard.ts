import { hash as digest } from 'node:crypto';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ACCESS, type AccessRule, PUBLIC_LIMIT, type PublicLimit, RateLimits } from '#http';
import type { Actor } from '#kernel';
import { type Principal, admit } from '../../domain/access.js';
import { readApiKey } from '../../domain/api-key.js';
import { invalidApiKey, twoCredentials, unauthenticated } from '../../domain/errors.js';
import { Principals } from '../../ports.js';
import { KeyUse } from '../persistence/key-use.js';
import { RevocationWatch } from '../persistence/revocation-watch.js';
import { BearerTokens } from '../tokens/bearer-tokens.js';
import { PrincipalMemory } from './principal-memory.js';

export type AuthenticatedRequest = FastifyRequest & { actor?: Actor; principal?: Principal };

/**
 * Stands before every route: reads what the route asks, who the credential is, and lets through or refuses.
 * A credential that is remembered costs a hash and no round trip.
 */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly memory: PrincipalMemory,
    private readonly watch: RevocationWatch,
    private readonly bearers: BearerTokens,
    private readonly principals: Principals,
    private readonly keyUse: KeyUse,
    private readonly limits: RateLimits,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const rule = this.reflector.getAllAndOverride<AccessRule | undefined>(ACCESS, [context.getHandler(), context.getClass()]);
    if (rule === undefined) throw new Error('a route without @Access was started');
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    if (rule === 'public') {
      const limit = this.reflector.getAllAndOverride<PublicLimit | undefined>(PUBLIC_LIMIT, [context.getHandler(), context.getClass()]);
      return after(this.limits.address(request.ip, limit ?? 'page', reply), () => true);
    }
    const credential = credentialOf(request);
    // With its kind: a key that is remembered is no bearer, and the other way round.
    const hash = digest('sha256', `${credential.kind} ${credential.text}`, 'base64');
    const known = this.memory.get(hash);
    if (known) return this.place(request, reply, known, rule);
    const identified = this.limits.credential(request.ip, credential.kind === 'api_key', reply, () =>
      this.identify(request, credential, hash),
    );
    return identified.then((principal) => this.place(request, reply, principal, rule));
  }

  private place(
    request: AuthenticatedRequest,
    reply: FastifyReply,
    principal: Principal,
    rule: Exclude<AccessRule, 'public'>,
  ): true | Promise<true> {
    if (principal.kind === 'api_key') this.keyUse.note(principal.actor.tenantId, principal.actor.id);
    // Counted before it is admitted: what is refused costs as well.
    return after(this.limits.principal(countedAs(principal), principal.tier, reply), () => place(request, principal, rule));
  }

  private async identify(request: FastifyRequest, { kind, text }: Credential, hash: string): Promise<Principal> {
    if (!this.memory.isConfirmed()) {
      await this.watch.look();
      const known = this.memory.get(hash);
      if (known) return known;
    }
    const started = performance.now();
    if (kind === 'bearer') {
      const { principal, expiresAt } = await this.bearers.verify(request, text);
      this.memory.put(hash, principal, expiresAt, started);
      return principal;
    }
    const key = readApiKey(text);
    const found = key && (await this.principals.ofApiKey(key.id, key.secret));
    if (!found) throw invalidApiKey();
    this.memory.put(hash, found.principal, found.expiresAt, started);
    return found.principal;
  }
}

/** A user counts once per tenant, however many tokens and sessions; a key by itself. */
const countedAs = (principal: Principal): string =>
  principal.kind === 'api_key' ? principal.actor.id : `${principal.userId}:${principal.actor?.tenantId ?? ''}`;

/** Without a turn of the event loop where nothing has to be waited for. */
const after = <T>(first: void | Promise<void>, then: () => T): T | Promise<T> => (first instanceof Promise ? first.then(then) : then());

interface Credential {
  readonly kind: 'bearer' | 'api_key';
  readonly text: string;
}

/** @throws DomainError 401 where there is none, 400 where there are two */
function credentialOf({ headers }: FastifyRequest): Credential {
  const { authorization, 'x-api-key': key } = headers;
  if (authorization !== undefined && key !== undefined) throw twoCredentials();
  if (typeof key === 'string') return { kind: 'api_key', text: key };
  const bearer = authorization === undefined ? null : /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  if (!bearer) throw unauthenticated();
  return { kind: 'bearer', text: bearer };
}

function place(request: AuthenticatedRequest, principal: Principal, rule: Exclude<AccessRule, 'public'>): true {
  admit(principal, rule);
  request.principal = principal;
  if (principal.actor) request.actor = principal.actor;
  return true;
}
