import { type DynamicModule, Inject, Injectable, Module, type OnModuleInit } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { JsonRpc } from '#chain';
import { HealthChecks } from '#http';
import { DatabaseClock, DatabaseHealth, UnitOfWork, outboxBacklog } from '#persistence';
import { JobQueue } from '#queue';
import { retractionCounts } from '#traceability';
import { sponsorReading } from '#transactions';
import { consumerBacklog, deliveryBacklog } from '#webhooks';
import { indexerOf } from '../engine-health.module.js';
import { Metrics } from './metrics.js';
import type { Backlog } from './sources.js';

/** Shows the application to the metrics of its process. */
@Injectable()
class WatchApplication implements OnModuleInit {
  constructor(
    @Inject(Metrics) private readonly metrics: Metrics,
    private readonly modules: ModuleRef,
  ) {}

  onModuleInit(): void {
    const of = <T>(type: abstract new (...args: never[]) => T): T => this.modules.get(type as never, { strict: false });
    const [unitOfWork, database] = [of(UnitOfWork), of(DatabaseHealth)];
    this.metrics.watch({
      chain: of(JsonRpc).metrics,
      indexer: indexerOf(this.modules),
      queue: of(JobQueue),
      pool: () => database.pool,
      clock: of(DatabaseClock),
      health: of(HealthChecks),
      backlog: () =>
        unitOfWork.asSystem(async (tx): Promise<Backlog> => {
          const [retractions, outbox, deliveries, consumers, sponsor] = await Promise.all([
            retractionCounts(tx),
            outboxBacklog(tx),
            deliveryBacklog(tx),
            consumerBacklog(tx),
            sponsorReading(tx),
          ]);
          return { retractions, outbox, deliveries, consumers, sponsor };
        }),
    });
  }
}

@Module({})
export class MetricsModule {
  static forRoot(metrics: Metrics): DynamicModule {
    return { module: MetricsModule, providers: [{ provide: Metrics, useValue: metrics }, WatchApplication] };
  }
}
