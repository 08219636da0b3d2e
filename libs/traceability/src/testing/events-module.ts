import { type CanActivate, type DynamicModule, type ExecutionContext, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { ChainHead, ChainProfile, JsonRpc, type PrepareRequest, type PreparedCall, TransactionPreparer } from '#chain';
import { ContentStore } from '#content-storage';
import { AuditLog, Parties, Tenants, type TenantView, Quotas } from '#identity';
import { NoAuditLog, UnlimitedQuotas } from '#identity/testing';
import { type Actor, Clock, DomainError, keccakOf } from '#kernel';
import type { UnitOfWork } from '#persistence';
import { databaseProviders } from '#persistence/testing';
import { DraftNote, EstimateCalls, PrepareCall, StorageQuota, TenantContract } from '#prepare';
import { ErasureLog, ErasureSettings, sealedContentsProviders } from '#sealed-contents';
import { Lots } from '../contract.js';
import { LotQueries } from '../lots/lots.queries.js';
import { SchemaSettings } from '../process-maps/schemas/schema-threads.client.js';
import { recordingControllers, recordingProviders } from '../traceability.module.js';

class Everyone implements CanActivate {
  constructor(private readonly actorOf: () => Actor) {}

  canActivate(context: ExecutionContext): boolean {
    context.switchToHttp().getRequest<{ actor: Actor }>().actor = this.actorOf();
    return true;
  }
}

/** A chain that accepts every call unless `refusal` is set; it remembers the calls. */
export class WillingChain extends TransactionPreparer {
  readonly asked: PrepareRequest[] = [];
  refusal: DomainError | null = null;

  override prepare(request: PrepareRequest): Promise<PreparedCall> {
    if (this.refusal) return Promise.reject(this.refusal);
    this.asked.push(request);
    return Promise.resolve({
      preparedTx: { to: request.contract, data: keccakOf(String(this.asked.length)), gasEstimate: 100_000, chainId: 31_337 },
      hints: { from: request.from, nonce: 0, maxFeePerGas: null, maxPriorityFeePerGas: null },
      warnings: [],
    });
  }
}

export class OneContract extends Tenants {
  constructor(
    private readonly slug: string,
    private readonly contract: string,
  ) {
    super();
  }

  override byId(id: string): Promise<TenantView> {
    return Promise.resolve(this.view(id));
  }

  override contractOf(): Promise<string> {
    return Promise.resolve(this.contract);
  }

  private view(id: string): TenantView {
    const { slug, contract } = this;
    return { id, slug, name: slug, onChainTenantId: keccakOf(slug), contract, contractVersion: 1 };
  }
}

const sealedContents = [
  ...sealedContentsProviders([Buffer.alloc(32, 9)]),
  // Nobody erases here.
  { provide: ErasureSettings, useValue: new ErasureSettings('', 0) },
  {
    provide: ErasureLog,
    useValue: { read: () => [], names: () => new Set(), append: () => undefined } satisfies Pick<ErasureLog, 'read' | 'names' | 'append'>,
  },
];

/** The routes of events and process maps on their own, for a caller whom the test names, on a chain that never refuses by itself. */
@Module({})
export class EventsModule {
  static of(parts: {
    readonly unitOfWork: UnitOfWork;
    readonly parties: Parties;
    readonly tenants: Tenants;
    readonly contents: ContentStore;
    readonly chain: TransactionPreparer;
    readonly actor: () => Actor;
    readonly finalBlock: () => number;
    readonly now: () => Date;
    readonly schemas?: Partial<SchemaSettings>;
  }): DynamicModule {
    const position = () => Promise.resolve({ head: parts.finalBlock(), final: parts.finalBlock() });
    return {
      module: EventsModule,
      controllers: recordingControllers,
      providers: [
        ...recordingProviders,
        { provide: SchemaSettings, useValue: Object.assign(new SchemaSettings(), parts.schemas) },
        ...databaseProviders(parts.unitOfWork),
        { provide: Parties, useValue: parts.parties },
        { provide: AuditLog, useClass: NoAuditLog },
        { provide: Quotas, useClass: UnlimitedQuotas },
        { provide: Tenants, useValue: parts.tenants },
        { provide: StorageQuota, useExisting: Quotas },
        { provide: TenantContract, useExisting: Tenants },
        { provide: Lots, useExisting: LotQueries },
        DraftNote,
        EstimateCalls,
        PrepareCall,
        { provide: ContentStore, useValue: parts.contents },
        ...sealedContents,
        { provide: TransactionPreparer, useValue: parts.chain },
        // No route of this module calls the node.
        { provide: JsonRpc, useValue: null },
        { provide: ChainHead, useValue: { position } },
        { provide: ChainProfile, useValue: { chainId: 31_337 } },
        { provide: Clock, useValue: { now: parts.now } },
        { provide: APP_GUARD, useValue: new Everyone(parts.actor) },
      ],
    };
  }
}
