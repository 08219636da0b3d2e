import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CanActivate, type DynamicModule, type ExecutionContext, Global, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  ChainHead,
  ChainProfile,
  Deployments,
  JsonRpc,
  type ContractLog,
  type ChainProjector,
  type RawLog,
  RpcTransactionPreparer,
  TransactionPreparer,
  decodeLog,
  quantity,
  ContractDirectory,
} from '#chain';
import { DemoChain, type TestAnvil, devWallet, startTestAnvil } from '#chain/testing';
import { ContentStorageModule } from '#content-storage';
import { CustodyProjector, CustodyModule, custodyPersistence } from '#custody';
import { createHttpApp, createLogger } from '#http';
import { AuditLog, Parties, PasskeyAccounts, Quotas, Tenants, TenantsQueries, identityPersistence } from '#identity';
import { NoAuditLog, UnlimitedQuotas, WalletsQueries, saveParties } from '#identity/testing';
import { type Actor, Clock, type Hex, type Role, newId } from '#kernel';
import { UnitOfWork } from '#persistence';
import { type TestDatabase, cloneTestDatabase, databaseProviders } from '#persistence/testing';
import { StorageQuota, TenantContract } from '#prepare';
import {
  ContentKeyStore,
  ErasureLog,
  ErasureSettings,
  keysPersistence,
  NoteWords,
  OpenContents,
  ReadContents,
  SealContents,
  sealedContentsProviders,
  StoreContents,
} from '#sealed-contents';
import { RecallProjector, RecallModule, recallPersistence } from '#recall';
import { TraceabilityProjector, TraceabilityModule, processMapTemplates, traceabilityPersistence } from '#traceability';
import { PublishProcessMap } from '#traceability/testing';
import { TransactionsProjector, TransactionsModule, TransactionsWorkerModule, transactionsPersistence } from '#transactions';
import { ContractCheck } from '../harness/contract-check.js';

const CHAIN_ID = 31_337;

/** A company of the tenant with its wallet; each is an organisation of its own. */
export class Company {
  readonly orgId = newId();
  readonly wallet;
  readonly address: string;

  constructor(
    readonly name: string,
    walletIndex: number,
    readonly roles: readonly Role[],
  ) {
    this.wallet = devWallet(walletIndex);
    this.address = this.wallet.address;
  }

  actor(tenantId: string): Actor {
    const { orgId, roles, address } = this;
    return { kind: 'user', id: this.name, tenantId, tenantSlug: 'rice', roles, roleScopes: {}, orgId, wallet: address, wallets: [address] };
  }
}

export interface Answer<T = Record<string, unknown>> {
  readonly status: number;
  readonly body: T;
}

/**
 * The contexts of custody over HTTP, on a real database and a real chain. Identity and the indexer are small substitutes: a header
 * names the caller, and `land` passes the logs of new blocks to the handlers in their order.
 */
export class CustodyWorld {
  readonly tenantId = newId();
  readonly admin = new Company('admin', 1, ['TENANT_ADMIN']);
  readonly farmA = new Company('farmA', 2, ['OPERATOR']);
  readonly farmB = new Company('farmB', 3, ['OPERATOR']);
  readonly mill = new Company('mill', 4, ['OPERATOR', 'COMPLIANCE']);
  readonly dist = new Company('dist', 5, ['OPERATOR']);
  readonly companies = [this.admin, this.farmA, this.farmB, this.mill, this.dist];
  contract: string;
  private database: TestDatabase;
  private anvil: TestAnvil;
  private chain: DemoChain;
  private app: NestFastifyApplication;
  private check: ContractCheck;
  private contentFolder: string;
  private landed = 0;

  static async open(): Promise<CustodyWorld> {
    const world = new CustodyWorld();
    await world.start().catch(async (error: unknown) => {
      await world.close();
      throw error;
    });
    return world;
  }

  private async start(): Promise<void> {
    this.database = await cloneTestDatabase([
      keysPersistence,
      identityPersistence,
      traceabilityPersistence,
      custodyPersistence,
      recallPersistence,
      transactionsPersistence,
    ]);
    await saveParties(this.database.unitOfWork, this.tenantId, this.companies);
    this.contentFolder = await mkdtemp(join(tmpdir(), 'custody-content-'));
    this.anvil = await startTestAnvil();
    this.chain = await DemoChain.deploy(this.anvil.url);
    this.contract = await this.chain.createTenant('rice', this.admin.wallet);
    for (const company of this.companies.slice(1))
      await this.chain.call(this.admin.wallet, this.contract, 'setRoles', [company.address, 2]);
    this.app = await createHttpApp(WorldModule.of(this, this.database.unitOfWork, this.chain.rpc, this.contentFolder), {
      config: { http: { host: '127.0.0.1', port: 0, trustedProxies: 0 } },
      logger: createLogger({ level: process.env['TEST_LOG'] ?? 'silent' }),
    });
    await this.app.listen(0, '127.0.0.1');
    this.check = new ContractCheck(this.app);
    const publish = this.app.get(PublishProcessMap, { strict: false });
    await publish.publish(
      { tenantId: this.tenantId, kind: 'user', id: 'admin' },
      processMapTemplates.find(({ key }) => key === 'rice'),
    );
    await this.land();
  }

  async close(): Promise<void> {
    await this.app?.close();
    this.chain?.close();
    await this.anvil?.stop();
    await this.database?.drop();
    await rm(this.contentFolder, { recursive: true, force: true });
    this.check?.mustHold();
  }

  get head(): number {
    return this.landed;
  }

  async post<T = Record<string, never>>(company: Company, path: string, body: object): Promise<Answer<T>> {
    return this.request(company, path, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
  }

  async get<T = Record<string, never>>(company: Company, path: string): Promise<Answer<T>> {
    return this.request(company, path, {});
  }

  /** Signs and sends a prepared transaction as the company would, tracks it, and lets it land. @returns its tracking id */
  async send(company: Company, prepared: Answer<{ preparedTx: { to: string; data: string } }>): Promise<string> {
    if (prepared.status !== 200) throw new Error(JSON.stringify(prepared.body));
    const { to, data } = prepared.body.preparedTx;
    const provider = await this.chain.rpc.call<string>('eth_getTransactionCount', [company.address, 'pending']);
    const raw = await company.wallet.signTransaction({
      to,
      data,
      nonce: Number(provider),
      chainId: CHAIN_ID,
      type: 2,
      gasLimit: 16_000_000n,
      maxFeePerGas: 100_000_000_000n,
      maxPriorityFeePerGas: 1_000_000_000n,
    });
    const txHash = await this.chain.rpc.call<string>('eth_sendRawTransaction', [raw]);
    const { body } = await this.post<{ trackingId: string }>(company, '/api/v1/tx/track', { txHash });
    await this.land();
    return body.trackingId;
  }

  /** Takes in the blocks that are new, in one transaction each, upstream handlers first. */
  async land(): Promise<void> {
    const head = await this.chain.head();
    for (let block = this.landed + 1; block <= head; block++) {
      const logs = await this.logsOf(block);
      if (logs.length > 0)
        await this.database.unitOfWork.asSystem((tx) =>
          tx.forTenant(this.tenantId, async (tenantTx) => {
            for (const handler of this.handlers()) await handler.apply(tenantTx, { chainId: CHAIN_ID, contract: this.contract, logs });
          }),
        );
      this.landed = block;
    }
  }

  /** Forgets the blocks after `block`, downstream handlers first, and takes them in again. */
  async replayAfter(block: number): Promise<void> {
    await this.database.unitOfWork.asSystem(async (tx) => {
      for (const handler of this.handlers().toReversed()) await handler.undo(tx, CHAIN_ID, block);
    });
    this.landed = block;
    await this.land();
  }

  sql<Row>(text: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    return this.database.unitOfWork.inTransaction({ tenantId: this.tenantId }, (tx) => tx.sql<Row>(text, parameters));
  }

  /** Data of the topics in the outbox, in order. */
  async topics(topic: string): Promise<Record<string, unknown>[]> {
    const rows = await this.sql<{ body: string }>('select body from persistence.outbox where topic = $1 order by seq', [topic]);
    return rows.map(({ body }) => (JSON.parse(body) as { data: Record<string, unknown> }).data);
  }

  async tokenOf(tlc: string): Promise<number> {
    const [row] = await this.sql<{ token_id: string }>('select token_id from traceability.lot where tlc = $1 and to_block is null', [tlc]);
    if (!row) throw new Error(`no lot ${tlc}`);
    return Number(row.token_id);
  }

  private async request<T>(company: Company, path: string, init: RequestInit): Promise<Answer<T>> {
    const headers = { ...(init.headers as Record<string, string> | undefined), 'x-company': company.name };
    const response = await fetch(`${await this.app.getUrl()}${path}`, { ...init, headers });
    return { status: response.status, body: (await response.json()) as T };
  }

  private handlers(): ChainProjector[] {
    return [TraceabilityProjector, CustodyProjector, RecallProjector, TransactionsProjector].map((handler) =>
      this.app.get<ChainProjector>(handler, { strict: false }),
    );
  }

  private async logsOf(number: number): Promise<ContractLog[]> {
    const block = await this.chain.rpc.call<{ hash: Hex; timestamp: string }>('eth_getBlockByNumber', [quantity(number), false]);
    const raw = await this.chain.rpc.call<(RawLog & { transactionHash: Hex; logIndex: string })[]>('eth_getLogs', [
      { blockHash: block.hash, address: this.contract },
    ]);
    const first = new Map<string, number>();
    return raw.flatMap((log) => {
      const decoded = decodeLog(log);
      const logIndex = Number(log.logIndex);
      first.set(log.transactionHash, first.get(log.transactionHash) ?? logIndex);
      if (!decoded) return [];
      const at = { number, hash: block.hash, timestamp: new Date(Number(block.timestamp) * 1000) };
      const txLogIndex = logIndex - first.get(log.transactionHash)!;
      return [{ ...decoded, contract: this.contract, block: at, txHash: log.transactionHash, logIndex, txLogIndex }];
    });
  }
}

@Global()
@Module({})
class WorldModule {
  static of(world: CustodyWorld, unitOfWork: UnitOfWork, rpc: JsonRpc, contentFolder: string): DynamicModule {
    const given = [
      ...databaseProviders(unitOfWork),
      { provide: Clock, useValue: new Clock() },
      { provide: JsonRpc, useValue: rpc },
      { provide: TransactionPreparer, useValue: new RpcTransactionPreparer(rpc, CHAIN_ID) },
      { provide: ChainHead, useValue: { position: async () => ({ head: world.head, final: world.head }) } },
      { provide: ChainProfile, useValue: { chainId: CHAIN_ID, confirmations: 1, registry: null, clientRpcUrl: null, explorerUrl: null } },
      { provide: Tenants, useValue: tenantsOf(world) },
      { provide: ContractDirectory, useValue: { ownerOf: async () => null } },
      { provide: Parties, useClass: WalletsQueries },
      { provide: AuditLog, useClass: NoAuditLog },
      { provide: ErasureSettings, useValue: new ErasureSettings(contentFolder, 0) },
      { provide: ErasureLog, useValue: new ErasureLog(`${contentFolder}/erasures.jsonl`) },
      { provide: Deployments, useValue: { accountFactory: async () => null } },
      // Nobody relays here.
      { provide: PasskeyAccounts, useValue: null },
      { provide: TenantsQueries, useValue: null },
      { provide: Quotas, useClass: UnlimitedQuotas },
      { provide: StorageQuota, useExisting: Quotas },
      { provide: TenantContract, useExisting: Tenants },
    ];
    return {
      module: WorldModule,
      imports: [
        ContentStorageModule.forRoot({ kind: 'files', folder: contentFolder }),
        TraceabilityModule,
        CustodyModule,
        RecallModule,
        TransactionsModule,
        TransactionsWorkerModule.forRoot({ pollMs: 20, dropAfterMs: 1_800_000 }),
      ],
      providers: [...given, ...sealedContentsProviders([Buffer.alloc(32, 9)]), { provide: APP_GUARD, useValue: new CompanyHeader(world) }],
      exports: [
        ...given.map(({ provide }) => provide),
        ContentKeyStore,
        NoteWords,
        OpenContents,
        ReadContents,
        SealContents,
        StoreContents,
      ],
    };
  }
}

class CompanyHeader implements CanActivate {
  constructor(private readonly world: CustodyWorld) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<{ headers: Record<string, string>; actor: Actor }>();
    const company = this.world.companies.find(({ name }) => name === request.headers['x-company'])!;
    request.actor = company.actor(this.world.tenantId);
    return true;
  }
}

const tenantsOf = (world: CustodyWorld): object => ({
  byId: async () => ({ id: world.tenantId, slug: 'rice', name: 'Rice', contract: world.contract, contractVersion: 1 }),
  contractOf: async () => world.contract,
});

export interface Stage {
  readonly processType: string;
  readonly actor: 'farmA' | 'farmB' | 'mill' | 'dist';
  readonly inputTlcs: readonly string[];
  readonly outputTlc?: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly custody?: { readonly action: 'offer' | 'accept'; readonly to?: 'dist' };
  readonly handover?: { readonly from: 'farmA' | 'farmB'; readonly to: 'mill'; readonly tlcs: readonly string[] };
}

/** The stages of the rice value chain. */
export const riceStages = async (): Promise<readonly Stage[]> =>
  (JSON.parse(await readFile('apps/cli/src/demo/scenarios/rice.scenario.json', 'utf8')) as { steps: Stage[] }).steps;
