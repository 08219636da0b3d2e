import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestAnvil, type TestAnvil } from '#chain/testing';
import { configFrom } from '#config';
import { AddMember, CreateTenant, CreateUser } from '#identity';
import { type EmbeddedPostgres, migrate, openDatabase, startEmbeddedPostgres, UnitOfWork } from '#persistence';
import { asOperator } from '../../apps/cli/src/operator.js';
import { contexts } from '../../apps/runtime/src/index.js';
import { findRedis, startRedis } from '../engines/queue-redis.js';
import type { RunningQueueEngine } from '../engines/queue.suite.js';
import { eventually } from '../harness/eventually.js';
import { freePort } from '../harness/free-port.js';
import { NO_LIMITS } from '../harness/no-limits.js';
import { urlOf } from '../harness/url-of.js';

/** Four processes start at once, and on a machine that does much else each takes a minute. */
const START_MS = 240_000;

/** Whatever happens to a process, another takes its place at once. */
export class Member {
  /** How those ended that were here before: their exit code, or the signal that killed them. */
  readonly ended: (number | NodeJS.Signals | null)[] = [];
  private child: ChildProcess | null = null;
  private said = '';
  private saidBefore = '';
  private upAgain = false;

  constructor(
    readonly name: string,
    private readonly program: string,
    private readonly env: Readonly<Record<string, string>>,
    private readonly readyWhen: string,
  ) {}

  launch(): void {
    this.upAgain = true;
    [this.saidBefore, this.said] = [this.said, ''];
    const child = spawn(process.execPath, ['--no-warnings', new URL(`../../apps/${this.program}/src/main.js`, import.meta.url).pathname], {
      env: { PATH: process.env.PATH, ...this.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child = child;
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (this.said += chunk.toString()));
    // One that finds its database away says so and ends: its supervisor starts it again.
    child.once('close', (code, signal) => {
      this.ended.push(code ?? signal);
      if (this.upAgain) setTimeout(() => this.upAgain && this.launch(), 100);
    });
  }

  async ready(): Promise<void> {
    await eventually(`${this.name} to be ready`, () => this.said.includes(this.readyWhen), { withinMs: START_MS, everyMs: 25 }).catch(
      (error: Error) => {
        throw new Error(`${error.message}; it said: ${(this.saidBefore + this.said).slice(-2_000)}`);
      },
    );
  }

  signal(signal: 'SIGKILL' | 'SIGTERM'): void {
    this.said = ''; // what it said when it came up holds no longer
    this.child!.kill(signal);
  }

  async end(): Promise<void> {
    this.upAgain = false;
    if (!this.child || this.child.exitCode !== null || this.child.signalCode !== null) return;
    const closed = once(this.child, 'close');
    this.child.kill('SIGKILL');
    await closed;
  }
}

export interface ChaosTenant {
  readonly id: string;
  readonly slug: string;
  readonly email: string;
  readonly password: string;
}

/** Two API processes and two workers of the compiled service on one PostgreSQL and, where there is one, one Redis. */
export class Cluster {
  private constructor(
    readonly apis: readonly Member[],
    readonly workers: readonly Member[],
    readonly baseUrls: readonly string[],
    readonly unitOfWork: UnitOfWork,
    readonly tenants: readonly ChaosTenant[],
    readonly postgres: EmbeddedPostgres,
    readonly redis: RunningQueueEngine | null,
    /** Of one more process on the same engines. */
    readonly environment: Readonly<Record<string, string>>,
    private readonly closers: readonly (() => unknown)[],
  ) {}

  /**
   * @param settings over the cluster's own
   * @param tenantCount none: the four processes find an empty database, and migrate it at once
   */
  static async start(settings: Readonly<Record<string, string>>, tenantCount: number): Promise<Cluster> {
    const folder = mkdtempSync(join(tmpdir(), 'trace-chaos-'));
    const source = process.env.CHAOS_QUEUE === 'database' ? null : findRedis();
    if (!source && process.env.CHAOS_QUEUE === 'redis') throw new Error('CHAOS_QUEUE=redis, and there is no Redis');
    const [postgres, node, redis] = await Promise.all([
      startEmbeddedPostgres({ dataDir: join(folder, 'postgres') }),
      startTestAnvil(),
      source ? startRedis(source) : null,
    ]);
    const ports = [await freePort(), await freePort()];
    const shared = {
      ...environmentOf(postgres, node),
      // Pages of either API may ask for passkeys.
      SIWE_DOMAINS: ports.flatMap((port) => [`localhost:${port}`, `127.0.0.1:${port}`]).join(','),
      ...(redis && redis.engine.kind === 'redis' && { REDIS_URL: redis.engine.url }),
      ...settings,
    };
    if (tenantCount > 0) await migrate(postgres.endpoint, contexts);
    const tenants = tenantCount > 0 ? await makeTenants({ ...shared, DATA_DIR: folder }, tenantCount) : [];
    const dataSource = await openDatabase(postgres.endpoint, contexts);
    const apis = ports.map(
      (port, i) =>
        new Member(
          `api ${i}`,
          'api',
          { ...shared, ROLE: 'api', PORT: String(port), DATA_DIR: join(folder, `api-${i}`) },
          'Ctrl-C stops it',
        ),
    );
    const workers = [0, 1].map(
      (i) =>
        new Member(`worker ${i}`, 'worker', { ...shared, ROLE: 'worker', DATA_DIR: join(folder, `worker-${i}`) }, 'The worker is running'),
    );
    const cluster = new Cluster(
      apis,
      workers,
      ports.map((port) => `http://127.0.0.1:${port}`),
      new UnitOfWork(dataSource),
      tenants,
      postgres,
      redis,
      { ...shared, DATA_DIR: folder },
      [
        () => Promise.all([...apis, ...workers].map((member) => member.end())),
        () => dataSource.destroy(),
        () => Promise.all([postgres.stop('immediate'), node.stop(), redis?.stop()]),
        () => rmSync(folder, { recursive: true, force: true }),
      ],
    );
    for (const member of [...apis, ...workers]) member.launch();
    await cluster.ready().catch(async (error: unknown) => {
      await cluster.close();
      throw error;
    });
    return cluster;
  }

  async ready(): Promise<void> {
    await Promise.all([...this.apis, ...this.workers].map((member) => member.ready()));
  }

  /** kill -9 of the database server; it comes back by itself and recovers. */
  async killPostgres(): Promise<void> {
    const { pid } = this.postgres;
    process.kill(pid, 'SIGKILL');
    await eventually('PostgreSQL again', () => this.postgres.pid > 0 && this.postgres.pid !== pid, { withinMs: 60_000 });
  }

  async killRedis(): Promise<void> {
    await this.redis!.kill!();
    await this.redis!.startAgain!();
  }

  async close(): Promise<void> {
    for (const closer of this.closers) await closer();
  }
}

function environmentOf(postgres: EmbeddedPostgres, node: TestAnvil): Record<string, string> {
  const { privateKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  return {
    DATABASE_URL: urlOf(postgres.endpoint),
    CHAIN_RPC_URLS: node.url,
    CHAIN_CONFIRMATIONS: '1',
    CHAIN_POLL_MS: '200',
    CONTENT_STORE: 'database',
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    JWT_SIGNING_KEYS: privateKey,
    LOG_LEVEL: 'fatal',
    ...NO_LIMITS,
  };
}

const makeTenants = (env: Readonly<Record<string, string>>, count: number): Promise<ChaosTenant[]> =>
  asOperator(configFrom(env), async (app) => {
    const tenants: ChaosTenant[] = [];
    for (let i = 0; i < count; i++) {
      const slug = `tenant-${i}`;
      const [email, password] = [`admin@${slug}.example`, randomBytes(12).toString('base64url')];
      const { id } = await app.get(CreateTenant).create({ slug, name: slug, environment: 'sandbox' });
      const { id: userId } = await app.get(CreateUser).create({ email, name: 'Administrator', password });
      await app.get(AddMember).add(id, userId, { roles: ['TENANT_ADMIN'] });
      tenants.push({ id, slug, email, password });
    }
    return tenants;
  });
