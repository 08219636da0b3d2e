import type { DynamicModule, Type } from '@nestjs/common';
import { ChainModule } from '#chain';
import type { Config } from '#config';
import { ContentStorageModule } from '#content-storage';
import { HealthModule } from '#http';
import { AdministrationModule, IdentityModule } from '#identity';
import { PersistenceModule } from '#persistence';
import { QueueModule } from '#queue';
import { MapRecorders, TraceabilityModule } from '#traceability';
import { contexts } from './contexts.js';
import { EngineHealthModule } from './engine-health.module.js';
import type { Engines } from './engines.js';
import type { Metrics } from './metrics/metrics.js';
import { MetricsModule } from './metrics/metrics.module.js';

/** What every role stands on: the engines as global modules, and the two contexts that the others ask. */
export const baseModules = (config: Config, engines: Engines, metrics: Metrics | null = null): (DynamicModule | Type)[] => [
  PersistenceModule.forRoot({
    endpoint: engines.database,
    contexts,
    poolSize: config.database.poolSize,
    timeoutMs: config.database.timeoutMs,
    applicationName: `trace-${config.role}`,
    mode: config.mode,
  }),
  QueueModule.forRoot(engines.queue),
  ContentStorageModule.forRoot(engines.content),
  ChainModule.forRoot({ config: config.chain, ...engines.chain }),
  IdentityModule.forRoot(config),
  TraceabilityModule.forRoot(config),
  // Identity knows no maps; whose they are says who may record what.
  AdministrationModule.forRoot(MapRecorders),
  HealthModule,
  EngineHealthModule,
  ...(metrics ? [MetricsModule.forRoot(metrics)] : []),
];
