import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Logger } from 'pino';
import { startTestAnvil, type TestAnvil } from '#chain/testing';
import { TraceabilityClient } from '#client';
import { configFrom } from '#config';
import { IdentitySettings } from '#identity';
import type { PostgresEndpoint } from '#persistence';
import { cloneTestDatabase, type TestDatabase } from '#persistence/testing';
import { type RunningService, startService } from '../../apps/api/src/service.js';
import { seedDemo } from '../../apps/cli/src/demo/seed.js';
import { Company } from '../../apps/cli/src/demo/company.js';
import { type DemoFile, type DemoTenant, readDemoFile, writeDemoFile } from '../../apps/cli/src/demo/demo-file.js';
import { playScenario } from '../../apps/cli/src/demo/play-scenario.js';
import { readScenario } from '../../apps/cli/src/demo/scenario.js';
import { contexts } from '../../apps/runtime/src/index.js';
import { ContractCheck } from './contract-check.js';
import { NO_LIMITS } from './no-limits.js';
import { canCopySeed, copySeededEngines, type FreshWorld, type SeededEngines } from './seed.js';
import { urlOf } from './url-of.js';
import { WebhookSink } from './webhook-sink.js';

/** The whole service in this process on a database and a chain of its own, with the demo's two tenants and their companies. */
export class World {
  private constructor(
    readonly demo: DemoFile,
    private running: RunningService,
    private stored: TestDatabase,
    readonly node: TestAnvil,
    readonly sink: WebhookSink,
    /** Answers of this service that differ from its document. */
    readonly contract: ContractCheck,
    private readonly folder: string,
    private readonly settings: Readonly<Record<string, string>>,
  ) {}

  /**
   * @param env settings over the harness's own, by their names in the environment
   * @param logger for a test that reads the log
   * @param databaseUrl the address of the database, or its settings, for a test that puts a proxy in front of it
   * @param chainUrl the address of the chain node, likewise
   * @param canReorg for a test that replaces blocks: the node that ships cannot
   */
  static async start(
    env: Readonly<Record<string, string>> = {},
    logger?: Logger,
    databaseUrl: (endpoint: PostgresEndpoint) => string | Readonly<Record<string, string>> = urlOf,
    chainUrl: (nodeUrl: string) => Promise<string> = (nodeUrl) => Promise.resolve(nodeUrl),
    canReorg = false,
  ): Promise<World> {
    const folder = mkdtempSync(join(tmpdir(), 'trace-world-'));
    const copied = canCopySeed(env);
    const engines = copied ? copySeededEngines(folder, () => World.seeded(), canReorg) : World.emptyEngines(canReorg);
    const [{ database, node }, sink] = await Promise.all([engines, WebhookSink.start()]);
    const at = databaseUrl(database.endpoint);
    const settings = {
      DATA_DIR: folder,
      PORT: '0',
      LOG_LEVEL: 'silent',
      ...(typeof at === 'string' ? { DATABASE_URL: at } : at),
      DATABASE_TIMEOUT_MS: '60000',
      CHAIN_RPC_URLS: await chainUrl(node.url),
      CHAIN_CLIENT_RPC_URL: node.url,
      CHAIN_CONFIRMATIONS: '1',
      // As with the embedded chain: a poll has its price, and several worlds poll at the same time.
      CHAIN_POLL_MS: '100',
      CHAIN_TIMEOUT_MS: '8000',
      WEBHOOK_RETRY_DELAYS_MS: '200,400,800',
      WEBHOOK_TIMEOUT_MS: '20000',
      // Jobs over all tenants would make other tests slower; their own tests switch them on.
      ALERTS_EVERY_MS: '0',
      POINTERS_EVERY_MS: '0',
      NOTICES_EVERY_MS: '0',
      // No world has a tenant as large as these work for, and each search for one takes ten statements.
      REPORTS_FOLLOW_EVERY_MS: '0',
      REPORTS_READY_EVERY_MS: '0',
      // All clients have one address here, and a scenario is faster than people.
      ...NO_LIMITS,
      ...env,
    };
    const config = configFrom(settings);
    const quiet = (): void => undefined;
    const service = await startService(config, quiet, logger);
    const contract = new ContractCheck(service.app);
    const urls = { baseUrl: service.baseUrl, rpcUrl: node.url };
    const origin = service.app.get(IdentitySettings, { strict: false }).passkeys.origins[0] ?? null;
    if (copied) writeDemoFile(folder, { ...readDemoFile(folder)!, ...urls, origin });
    else await seedDemo(config, urls, quiet);
    return new World(readDemoFile(folder)!, service, database, node, sink, contract, folder, settings);
  }

  /** A world in which blocks can be replaced. */
  static withReorgs(env: Readonly<Record<string, string>> = {}): Promise<World> {
    return World.start(env, undefined, undefined, undefined, true);
  }

  private static async emptyEngines(canReorg: boolean): Promise<SeededEngines> {
    const [database, node] = await Promise.all([cloneTestDatabase(contexts), startTestAnvil({ canReorg })]);
    return { database, node };
  }

  /** What other worlds of this run are copied from. */
  private static async seeded(): Promise<FreshWorld> {
    const world = await World.start({ CHAIN_CONFIRMATIONS: '1' });
    await world.sink.close();
    return { folder: world.folder, database: world.database, node: world.node, stop: () => world.stop() };
  }

  get service(): RunningService {
    return this.running;
  }

  get database(): TestDatabase {
    return this.stored;
  }

  /** For commands in a process of their own: the same database and data folder. */
  get environment(): Readonly<Record<string, string>> {
    return { DATA_DIR: this.folder, DATABASE_URL: urlOf(this.database.endpoint), LOG_LEVEL: 'silent' };
  }

  /** Ends the service, as its operator would. The database, the chain and the data folder stay. */
  async stop(): Promise<void> {
    await this.running.close();
  }

  /** Starts it again under its old address, with its old settings: on another database, whose disposal is then this world's, where one is given. */
  async startAgain(on: TestDatabase = this.stored, env: Readonly<Record<string, string>> = {}, logger?: Logger): Promise<void> {
    const { port } = new URL(this.baseUrl);
    const config = configFrom({ ...this.settings, PORT: port, DATABASE_URL: urlOf(on.endpoint), ...env });
    const before = this.stored;
    this.stored = on;
    if (on !== before) await before.drop();
    this.running = await startService(config, () => undefined, logger);
  }

  get baseUrl(): string {
    return this.service.baseUrl;
  }

  tenant(slug: string): DemoTenant {
    return this.demo.tenants.find((tenant) => tenant.slug === slug)!;
  }

  /** The tenant's administrator over HTTP. */
  admin(slug: string): Promise<TraceabilityClient> {
    const { admin } = this.tenant(slug);
    return TraceabilityClient.login(this.baseUrl, admin.email, admin.password, slug);
  }

  company(slug: string, key: string): Promise<Company> {
    return Company.join(this.demo, this.tenant(slug), key, key);
  }

  /** Plays a value chain through the public API, up to (and with) `lastStep`. */
  async play(slug: string, lastStep = Number.POSITIVE_INFINITY): Promise<void> {
    const scenario = readScenario(slug);
    await playScenario(this.demo, this.tenant(slug), { ...scenario, steps: scenario.steps.slice(0, lastStep) }, () => undefined);
  }

  /** Number of stored content blocks: what a refused request must not change. */
  storedBlocks(): number {
    const entries = readdirSync(join(this.folder, 'content'), { recursive: true, withFileTypes: true });
    // Blocks that are being written, and the probe of readiness, are no blocks yet.
    return entries.filter((entry) => entry.isFile() && basename(entry.parentPath) !== 'incoming').length;
  }

  /** Number of stored blocks with these bytes in them: what is sealed is in none. */
  blocksWith(text: string): number {
    const entries = readdirSync(join(this.folder, 'content'), { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile() && readFileSync(join(entry.parentPath, entry.name)).includes(text)).length;
  }

  /** @throws Error where an answer was otherwise than the OpenAPI document says, so that no journey passes on it */
  async close(): Promise<void> {
    await this.service.close();
    await Promise.all([this.node.stop(), this.sink.close(), this.database.drop()]);
    rmSync(this.folder, { recursive: true, force: true });
    this.contract.mustHold();
  }
}
