import { type CanActivate, type DynamicModule, type ExecutionContext, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { ChainHead, ChainProfile, JsonRpc, type PrepareRequest, type PreparedCall, TransactionPreparer } from '#chain';
import { ContentStore } from '#content-storage';
import { AuditLog, Parties, Tenants, type TenantView, Quotas } from '#identity';
import { ForgetfulAuditLog, GenerousQuotas } from '#identity/testing';
import { type Actor, Clock, DomainError, keccakOf } from '#kernel';
import { UnitOfWork } from '#persistence';
import { SqlLots } from '../adapters/persistence/sql-lots.js';
import { Lots } from '../contract.js';
import * as events from '../events.wiring.js';

class Everyone implements CanActivate {
  constructor(private readonly actorOf: () => Actor) {}

  canActivate(context: ExecutionContext): boolean {
    context.switchToHttp().getRequest<{ actor: Actor }>().actor = this.actorOf();
    return true;
  }
}

/** A chain that runs whatever it is asked about, unless it is told to refuse; it remembers what it was asked. */
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
  }): DynamicModule {
    const position = () => Promise.resolve({ head: parts.finalBlock(), final: parts.finalBlock() });
    return {
      module: EventsModule,
      controllers: events.controllers,
      providers: [
        ...events.providers,
        { provide: UnitOfWork, useValue: parts.unitOfWork },
        { provide: Parties, useValue: parts.parties },
        { provide: AuditLog, useClass: ForgetfulAuditLog },
        { provide: Quotas, useClass: GenerousQuotas },
        { provide: Tenants, useValue: parts.tenants },
        { provide: ContentStore, useValue: parts.contents },
        { provide: TransactionPreparer, useValue: parts.chain },
        // Nothing on the routes that this module is for asks the node itself.
        { provide: JsonRpc, useValue: null },
        { provide: ChainHead, useValue: { position } },
        { provide: ChainProfile, useValue: { chainId: 31_337 } },
        { provide: Clock, useValue: { now: parts.now } },
        { provide: Lots, useClass: SqlLots },
        { provide: APP_GUARD, useValue: new Everyone(parts.actor) },
      ],
    };
  }
}
