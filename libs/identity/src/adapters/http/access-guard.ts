import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ACCESS, type AccessRule, PUBLIC_LIMIT, type PublicLimit, RateLimits } from '#http';
import type { Actor } from '#kernel';
import { type Principal, admit } from '../../domain/access.js';
import { readApiKey } from '../../domain/api-key.js';
import { invalidApiKey } from '../../domain/errors.js';
import { Principals } from '../../ports.js';
import { KeyUse } from '../persistence/key-use.js';
import { RevocationWatch } from '../persistence/revocation-watch.js';
import { BearerTokens } from '../tokens/bearer-tokens.js';
import { ConnectionCredentials, type Credential } from './connection-credentials.js';
import { PrincipalMemory } from './principal-memory.js';

export type AuthenticatedRequest = FastifyRequest & { actor?: Actor; principal?: Principal };

/**
 * Stands before every route: reads what the route asks, who the credential is, and lets through or refuses.
 * A credential that is remembered costs no round trip, and on a connection that sent it before not even its hash.
 */
@Injectable()
export class AccessGuard implements CanActivate {
  private readonly connections = new ConnectionCredentials();
  /** By handler; a handler that two controllers inherit is looked up anew at each change between them. */
  private readonly rules = new Map<object, { readonly of: object; readonly rule: AccessRule }>();

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
    const rule = this.ruleOf(context);
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    if (rule === 'public') {
      const limit = this.reflector.getAllAndOverride<PublicLimit | undefined>(PUBLIC_LIMIT, [context.getHandler(), context.getClass()]);
      return after(this.limits.address(request.ip, limit ?? 'page', reply), () => true);
    }
    const credential = this.connections.of(request);
    const known = this.memory.get(credential.hash);
    if (known) return this.place(request, reply, known, rule);
    const identified = this.limits.credential(request.ip, credential.kind === 'api_key', reply, () => this.identify(request, credential));
    return identified.then((principal) => this.place(request, reply, principal, rule));
  }

  private ruleOf(context: ExecutionContext): AccessRule {
    const [handler, of] = [context.getHandler(), context.getClass()];
    const known = this.rules.get(handler);
    if (known?.of === of) return known.rule;
    const rule = this.reflector.getAllAndOverride<AccessRule | undefined>(ACCESS, [handler, of]);
    if (rule === undefined) throw new Error('a route without @Access was started');
    this.rules.set(handler, { of, rule });
    return rule;
  }

  private place(
    request: AuthenticatedRequest,
    reply: FastifyReply,
    principal: Principal,
    rule: Exclude<AccessRule, 'public'>,
  ): true | Promise<true> {
    if (principal.kind === 'api_key') this.keyUse.note(principal.actor.tenantId, principal.actor.id);
    // Counted before it is admitted: what is refused costs as well.
    return after(this.limits.principal(principal, countedAs, reply), () => place(request, principal, rule));
  }

  private async identify(request: FastifyRequest, { kind, text, hash }: Credential): Promise<Principal> {
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

function place(request: AuthenticatedRequest, principal: Principal, rule: Exclude<AccessRule, 'public'>): true {
  admit(principal, rule);
  request.principal = principal;
  if (principal.actor) request.actor = principal.actor;
  return true;
}
