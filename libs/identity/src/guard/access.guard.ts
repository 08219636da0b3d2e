import { hash as digest } from 'node:crypto';
import { type CanActivate, type ExecutionContext, Injectable, type OnModuleInit, RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ACCESS, type AccessRule, BodyAdmission, PUBLIC_LIMIT, type PublicLimit, RateLimits, type RouteHandler } from '#http';
import type { AuthenticatedRequest } from '../access/principal.guard.js';
import { admit, type Principal } from '../access/principal.js';
import { ApiKeysQueries } from '../api-keys/api-keys.queries.js';
import { twoCredentials, unauthenticated } from '../errors.js';
import { type Credential, IdentifyPrincipal } from './identify-principal.js';

/** Refuses to start when a route does not declare who may call it. */
@Injectable()
export class AccessDeclarations implements OnModuleInit {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
  ) {}

  /** @throws Error that names every such route */
  onModuleInit(): void {
    const missing = this.discovery.getControllers().flatMap(({ metatype }) => (metatype ? this.undeclared(metatype as Controller) : []));
    if (missing.length > 0) throw new Error(`These routes do not declare who may call them (@Access): ${missing.join(', ')}`);
  }

  private undeclared(controller: Controller): string[] {
    return this.scanner.getAllMethodNames(controller.prototype).flatMap((name) => {
      const handler = controller.prototype[name] as () => unknown;
      const method = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
      if (method === undefined || this.reflector.getAllAndOverride(ACCESS, [handler, controller]) !== undefined) return [];
      return [`${RequestMethod[method]} ${String(Reflect.getMetadata(PATH_METADATA, handler))} of ${controller.name}.${name}`];
    });
  }
}

type Controller = (new () => unknown) & { readonly prototype: Record<string, unknown> };

type ProtectedRule = Exclude<AccessRule, 'public'>;

/**
 * Runs before every route, and for a large body before it is read: reads what the route requires, identifies the caller, and admits or refuses the request.
 * A cached credential costs no database round trip, and no hash on a connection that sent it before.
 */
@Injectable()
export class AccessGuard extends BodyAdmission implements CanActivate {
  private readonly connections = new ConnectionCredentials();
  /** Requests with a large body that were let through before it was read. */
  private readonly admitted = new WeakSet<FastifyRequest>();
  /** By handler. A handler that two controllers inherit is looked up again at each change between them. */
  private readonly rules = new Map<object, { readonly of: object; readonly rule: AccessRule }>();

  constructor(
    private readonly reflector: Reflector,
    private readonly principals: IdentifyPrincipal,
    private readonly keys: ApiKeysQueries,
    private readonly limits: RateLimits,
  ) {
    super();
  }

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<AuthenticatedRequest>();
    if (this.admitted.has(request)) return true;
    return this.check(
      { handler: context.getHandler() as RouteHandler['handler'], controller: context.getClass() },
      request,
      http.getResponse(),
    );
  }

  override async admit(route: RouteHandler, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    await this.check(route, request, reply);
    this.admitted.add(request);
  }

  private check(route: RouteHandler, request: AuthenticatedRequest, reply: FastifyReply): true | Promise<true> {
    const rule = this.ruleOf(route);
    if (rule === 'public') {
      const limit = this.reflector.getAllAndOverride<PublicLimit | undefined>(PUBLIC_LIMIT, [route.handler, route.controller]);
      return after(this.limits.address(request.ip, limit ?? 'page', reply), () => true as const);
    }
    const credential = this.connections.of(request);
    const known = this.principals.cached(credential);
    if (known) return this.admitAs(request, reply, known, rule);
    const identified = this.limits.credential(request.ip, credential.kind === 'api_key', reply, () => this.principals.identify(credential));
    return identified.then((principal) => this.admitAs(request, reply, principal, rule));
  }

  private ruleOf({ handler, controller: of }: RouteHandler): AccessRule {
    const known = this.rules.get(handler);
    if (known?.of === of) return known.rule;
    const rule = this.reflector.getAllAndOverride<AccessRule | undefined>(ACCESS, [handler, of]);
    if (rule === undefined) throw new Error('a route without @Access was started');
    this.rules.set(handler, { of, rule });
    return rule;
  }

  private admitAs(request: AuthenticatedRequest, reply: FastifyReply, principal: Principal, rule: ProtectedRule): true | Promise<true> {
    if (principal.kind === 'api_key') this.keys.recordUse(principal.actor.tenantId, principal.actor.id);
    // Counted before it is admitted: a refused request costs as well.
    return after(this.limits.principal(principal, countedAs, reply), () => attach(request, principal, rule));
  }
}

/** A user counts once per tenant, however many tokens and sessions they have; a key counts by itself. */
const countedAs = (principal: Principal): string =>
  principal.kind === 'api_key' ? principal.actor.id : `${principal.userId}:${principal.actor?.tenantId ?? ''}`;

/** Continues in the same tick when there is nothing to wait for. */
const after = <T>(first: void | Promise<void>, then: () => T): T | Promise<T> => (first instanceof Promise ? first.then(then) : then());

function attach(request: AuthenticatedRequest, principal: Principal, rule: ProtectedRule): true {
  admit(principal, rule);
  request.principal = principal;
  if (principal.actor) request.actor = principal.actor;
  return true;
}

interface SentCredential extends Credential {
  readonly header: string;
}

/**
 * The credential of a request. A client sends the same one again and again over its connection, so the last one is kept with
 * the connection. What it may do is looked up for each request, by its hash.
 */
export class ConnectionCredentials {
  private readonly last = new WeakMap<object, SentCredential>();

  /** @throws DomainError 401 when there is none, 400 when there are two */
  of({ raw }: FastifyRequest): Credential {
    const { authorization, 'x-api-key': key } = raw.headers;
    if (authorization !== undefined && key !== undefined) throw twoCredentials();
    const kind = key === undefined ? 'bearer' : 'api_key';
    const header = authorization ?? key;
    const last = this.last.get(raw.socket);
    if (last && last.header === header && last.kind === kind) return last;
    const text = kind === 'bearer' ? bearerIn(authorization) : key;
    if (typeof text !== 'string' || typeof header !== 'string') throw unauthenticated();
    const sent: SentCredential = { kind, text, hash: digest('sha256', `${kind} ${text}`, 'base64'), header };
    this.last.set(raw.socket, sent);
    return sent;
  }
}

const bearerIn = (authorization: string | undefined): string | undefined => /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
