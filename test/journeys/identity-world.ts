import { generateKeyPairSync } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { Controller, Get, Module, Param, type Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Config, configFrom } from '#config';
import { createHttpApp, createLogger, HealthModule, openApi } from '#http';
import {
  Access,
  AddMember,
  BindWallet,
  CreateApiKey,
  CreateOrganisation,
  CreateTenant,
  CreateUser,
  CurrentActor,
  IdentityModule,
  identityPersistence,
} from '#identity';
import { type Actor, Clock, requireProcess } from '#kernel';
import { PersistenceModule, type PostgresEndpoint } from '#persistence';
import { ContractCheck } from '../harness/contract-check.js';
import { NO_LIMITS } from '../harness/no-limits.js';

/** Time that a test may move forward. */
export class MovableClock extends Clock {
  private ahead = 0;
  override now(): Date {
    return new Date(Date.now() + this.ahead);
  }
  forward(seconds: number): void {
    this.ahead += seconds * 1000;
  }
}

/** What all nodes logged: Nest's logger belongs to the process, not to an application. */
export const log: string[] = [];

/** One route for each kind of access rule. */
@Controller('api/v1/asked')
class AskingController {
  @Get('member')
  @Access('member')
  member(@CurrentActor() actor: Actor): Actor {
    return actor;
  }
  @Get('admin')
  @Access({ roles: ['TENANT_ADMIN'] })
  admin(): object {
    return { let: 'in' };
  }
  @Get('admin-in-person')
  @Access({ roles: ['TENANT_ADMIN'], bearerOnly: true })
  inPerson(): object {
    return { let: 'in' };
  }
  @Get('reports')
  @Access({ roles: ['AUDITOR', 'COMPLIANCE', 'TENANT_ADMIN'] })
  reports(): object {
    return { let: 'in' };
  }
  @Get('platform')
  @Access('platform')
  platform(): object {
    return { let: 'in' };
  }
  @Get('process/:key')
  @Access('member')
  process(@CurrentActor() actor: Actor, @Param('key') key: string): object {
    requireProcess(actor, key);
    return { let: 'in' };
  }
}

@Module({ controllers: [AskingController] })
class AskingModule {}

const pem = (curve = 'P-256'): string =>
  generateKeyPairSync('ec', { namedCurve: curve }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;

export const SIGNING_KEY = pem();
export const RETIRED_KEY = pem();
export const FOREIGN_KEY = pem();

export interface Answer {
  readonly status: number;
  readonly body: any;
  readonly headers: Headers;
}

/** Routes that tests brought along: they describe no answers. */
const OF_TESTS = /^\w+ \/api\/v1\/(asked|leaks|changes)\//;

/** One node of the service with identity alone, over real HTTP. */
export class IdentityWorld {
  private constructor(
    readonly app: NestFastifyApplication,
    readonly clock: MovableClock,
    private readonly contract: ContractCheck,
  ) {}

  static async start(
    endpoint: PostgresEndpoint,
    options: { signingKeys?: string[]; extra?: Type<unknown>; env?: Record<string, string>; mail?: Config['mail'] } = {},
  ): Promise<IdentityWorld> {
    const { signingKeys = [SIGNING_KEY, RETIRED_KEY], extra, env, mail } = options;
    const base = configFrom({ NODE_ENV: 'test', ...NO_LIMITS, ...env });
    const config = {
      ...base,
      mail: mail ?? base.mail,
      secrets: { signingKeys, encryptionKey: Buffer.alloc(32, 9), retiredEncryptionKeys: [] },
    };
    const clock = new MovableClock();
    const module = {
      module: AskingModule,
      imports: [
        PersistenceModule.forRoot({ endpoint, contexts: [identityPersistence] }),
        IdentityModule.forRoot(config, { clock }),
        HealthModule,
        ...(extra ? [extra] : []),
      ],
    };
    const sink = new Writable({ write: (chunk: Buffer, _encoding, done) => (log.push(chunk.toString()), done()) });
    const app = await createHttpApp(module, { config, logger: createLogger({ level: 'trace' }, sink) });
    openApi(app);
    await app.listen(0, '127.0.0.1');
    return new IdentityWorld(app, clock, new ContractCheck(app, OF_TESTS));
  }

  get tenants(): CreateTenant {
    return this.app.get(CreateTenant);
  }
  get users(): CreateUser {
    return this.app.get(CreateUser);
  }
  get members(): AddMember {
    return this.app.get(AddMember);
  }
  get organisations(): CreateOrganisation {
    return this.app.get(CreateOrganisation);
  }
  get wallets(): BindWallet {
    return this.app.get(BindWallet);
  }
  get keys(): CreateApiKey {
    return this.app.get(CreateApiKey);
  }

  async call(
    method: string,
    path: string,
    options: { body?: unknown; bearer?: string; headers?: Record<string, string> } = {},
  ): Promise<Answer> {
    const { port } = this.app.getHttpServer().address() as AddressInfo;
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: {
        ...(options.body !== undefined && { 'content-type': 'application/json' }),
        ...(options.bearer !== undefined && { authorization: `Bearer ${options.bearer}` }),
        ...options.headers,
      },
      ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? null : (JSON.parse(text) as unknown), headers: answer.headers };
  }

  get(path: string, bearer?: string): Promise<Answer> {
    return this.call('GET', path, bearer === undefined ? {} : { bearer });
  }
  auth(action: string, body: unknown, bearer?: string): Promise<Answer> {
    return this.call('POST', `/api/v2/auth/${action}`, { body, ...(bearer !== undefined && { bearer }) });
  }
  login(email: string, password = PASSWORD, tenantId?: string): Promise<Answer> {
    return this.auth('login', { email, password, ...(tenantId !== undefined && { tenantId }) });
  }

  /** @throws Error where an answer was otherwise than the OpenAPI document says */
  async stop(): Promise<void> {
    await this.app.close();
    this.contract.mustHold();
  }
}

export const PASSWORD = 'correct horse battery';
