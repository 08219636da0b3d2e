import type { ServerResponse } from 'node:http';
import { type CanActivate, type DynamicModule, type ExecutionContext, Injectable, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { configFrom, type WebhooksConfig } from '#config';
import { type CallerRequest, createHttpApp, createLogger, CurrentRights } from '#http';
import { AuditLog, Quotas } from '#identity';
import { NoAuditLog, UnlimitedQuotas } from '#identity/testing';
import { type Actor, Clock, DomainError, newId } from '#kernel';
import { DatabaseClock, PersistenceModule, type PostgresEndpoint, UnitOfWork, deleteOldRows } from '#persistence';
import { type QueueEngine, QueueModule } from '#queue';
import { webhooksPersistence, WebhooksModule, WebhooksWorkerModule } from '#webhooks';
import { anyMessage } from '#persistence/testing';
import { topics } from '../../apps/runtime/src/index.js';
import { ContractCheck } from '../harness/contract-check.js';

/** Places the actor that the test names; who may be one is identity's business and tested there. */
@Injectable()
class NamedActorGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<{ headers: Record<string, string>; actor?: Actor }>();
    request.actor = JSON.parse(request.headers['x-test-actor']!) as Actor;
    return true;
  }
}

/** Actors whose rights have ended while they wait. */
export const REVOKED = new Set<string>();

class NamedRights extends CurrentRights {
  override of({ headers }: CallerRequest): Actor {
    const actor = JSON.parse(headers['x-test-actor'] as string) as Actor;
    if (REVOKED.has(actor.id)) throw new DomainError('invalid_token', 401, 'revoked');
    return actor;
  }
}

/** The system's, until it is moved on: what takes hours then takes none. */
export class MovableClock extends Clock {
  private ahead = 0;

  moveOn(ms: number): void {
    this.ahead += ms;
  }

  override now(): Date {
    return new Date(super.now().getTime() + this.ahead);
  }
}

@Module({})
class WorldModule {}

export const shortened = (changes: Partial<WebhooksConfig> = {}): WebhooksConfig => ({
  ...configFrom({ NODE_ENV: 'test' }).webhooks,
  // Longer than a busy machine takes for an answer that is there.
  timeoutMs: 4_000,
  retryDelaysMs: [60, 120, 240],
  pollMs: 100,
  ...changes,
});

export function worldModule(
  endpoint: PostgresEndpoint,
  webhooks: WebhooksConfig,
  worker: boolean,
  queue: QueueEngine = { kind: 'database', at: endpoint },
  clock?: Clock,
): DynamicModule {
  const options = { webhooks, encryptionKey: Buffer.alloc(32, 5), topics };
  return {
    module: WorldModule,
    global: true,
    imports: [
      PersistenceModule.forRoot({ endpoint, contexts: [webhooksPersistence] }),
      QueueModule.forRoot(queue),
      WebhooksModule.forRoot(options),
      ...(worker ? [WebhooksWorkerModule.forRoot(options)] : []),
    ],
    providers: [
      clock ? { provide: Clock, useValue: clock } : { provide: Clock, useExisting: DatabaseClock },
      { provide: AuditLog, useClass: NoAuditLog },
      { provide: Quotas, useClass: UnlimitedQuotas },
      { provide: CurrentRights, useClass: NamedRights },
      { provide: APP_GUARD, useClass: NamedActorGuard },
    ],
    exports: [Clock, AuditLog, Quotas, CurrentRights],
  };
}

/** The context with its engines: API, relay and worker in one process. */
export class WebhooksWorld {
  private requests = 0;

  private constructor(
    private readonly app: NestFastifyApplication,
    readonly clock: MovableClock,
    private readonly contract: ContractCheck,
  ) {
    app.getHttpServer().on('request', (_: unknown, answer: ServerResponse) => {
      this.requests++;
      answer.once('close', () => this.requests--);
    });
  }

  /** @param queue the embedded queue on the same database, where none is named */
  static async start(
    endpoint: PostgresEndpoint,
    changes: Partial<WebhooksConfig> = {},
    worker = true,
    queue?: QueueEngine,
  ): Promise<WebhooksWorld> {
    const clock = new MovableClock();
    const app = await createHttpApp(worldModule(endpoint, shortened(changes), worker, queue, clock), {
      config: configFrom({ NODE_ENV: 'test' }),
      logger: createLogger({ level: 'silent' }),
    });
    app.enableShutdownHooks([]);
    await app.listen(0, '127.0.0.1');
    return new WebhooksWorld(app, clock, new ContractCheck(app));
  }

  /** Requests that wait for their answer, or whose answer goes on. */
  get openRequests(): number {
    return this.requests;
  }

  /** @param base of another process of the same world */
  static at(base: string, actor: Actor): Admin {
    return new Admin(base, actor);
  }

  as(actor: Actor): Admin {
    return new Admin(`http://127.0.0.1:${(this.app.getHttpServer().address() as { port: number }).port}`, actor);
  }

  /** As the hourly job does. */
  async deleteBefore(before: Date): Promise<void> {
    const { signal } = new AbortController();
    for (const rule of webhooksPersistence.retention!)
      await deleteOldRows(this.app.get(UnitOfWork, { strict: false }), rule, { before, signal });
  }

  /** @throws Error where an answer was otherwise than the OpenAPI document says */
  async stop(): Promise<void> {
    await this.app.close();
    this.contract.mustHold();
  }
}

export interface Answer<T> {
  readonly status: number;
  readonly body: T;
  readonly headers: Headers;
}

export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly events: string[];
  readonly active: boolean;
  readonly createdAt: string;
  readonly secret: string;
  readonly paused: { since: string; reason: string } | null;
}

export interface Delivery {
  readonly id: string;
  readonly status: string;
  readonly success: boolean;
  readonly attempt: number;
  readonly resends: number;
  readonly statusCode: number | null;
  readonly responseBody: string | null;
  readonly error: string | null;
  readonly event: string;
  readonly url: string;
  readonly subscriptionId: string;
  readonly createdAt: string;
  readonly nextAttemptAt: string | null;
  readonly attempts: {
    number: number;
    statusCode: number | null;
    error: string | null;
    manual: boolean;
    startedAt: string;
    durationMs: number;
  }[];
}

export class Admin {
  constructor(
    private readonly base: string,
    readonly actor: Actor,
  ) {}

  async call<T>(method: string, path: string, body?: unknown): Promise<Answer<T>> {
    const answer = await fetch(`${this.base}${path.startsWith('/api') ? path : `/api/v1/webhooks${path}`}`, {
      method,
      headers: { 'x-test-actor': JSON.stringify(this.actor), ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: (text ? JSON.parse(text) : null) as T, headers: answer.headers };
  }

  /** As it comes. */
  get(path: string, headers: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<Response> {
    return fetch(this.base + path, { headers: { 'x-test-actor': JSON.stringify(this.actor), ...headers }, ...(signal && { signal }) });
  }

  async subscribe(url: string, ...events: string[]): Promise<Webhook> {
    const { status, body } = await this.call<Webhook>('POST', '', { url, events });
    if (status !== 201) throw new Error(`subscribing ${url}: ${status} ${JSON.stringify(body)}`);
    return body;
  }

  async deliveries(webhookId: string): Promise<Delivery[]> {
    return (await this.call<Delivery[]>('GET', `/${webhookId}/deliveries`)).body;
  }
}

export const tenantAdmin = (): Actor => {
  const tenantId = newId();
  return {
    kind: 'user',
    id: newId(),
    tenantId,
    tenantSlug: `tenant-${tenantId.slice(0, 8)}`,
    roles: ['TENANT_ADMIN'],
    roleScopes: {},
    orgId: null,
    wallet: null,
    wallets: [],
  };
};

/** Says that something happened, as any context does: in a transaction of its own, into the outbox. */
export const publish = (unitOfWork: UnitOfWork, { tenantId }: Actor, topic: string, ...facts: object[]): Promise<void> =>
  unitOfWork.inTransaction({ tenantId }, (tx) =>
    tx.publish(facts.map((data) => anyMessage(topic, data, { key: newId(), occurredAt: new Date() }))),
  );
