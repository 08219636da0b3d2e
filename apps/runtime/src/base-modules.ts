import type { DynamicModule, Type } from '@nestjs/common';
import { ChainModule } from '#chain';
import type { Config } from '#config';
import { ContentStorageModule } from '#content-storage';
import { HealthModule } from '#http';
import { IdentityModule } from '#identity';
import { PersistenceModule } from '#persistence';
import { QueueModule } from '#queue';
import { ErasureSettings, SealedContentsModule } from '#sealed-contents';
import { MapRecorders, TraceabilityModule } from '#traceability';
import { contexts } from './contexts.js';
import { EngineHealthModule } from './engine-health.module.js';
import type { Engines } from './engines.js';
import type { Metrics } from './metrics/metrics.js';
import { MetricsModule } from './metrics/metrics.module.js';

const jobsKept = ({ retention }: Config) => ({
  completed: retention.JOBS_COMPLETED_KEPT_SECONDS / 1_000,
  failed: retention.JOBS_FAILED_KEPT_SECONDS / 1_000,
});

/** Modules of every role: the engines as global modules, and the two contexts that the others ask. */
export const baseModules = (config: Config, engines: Engines, metrics: Metrics | null = null): (DynamicModule | Type)[] => [
  PersistenceModule.forRoot({
    endpoint: engines.database,
    direct: engines.directDatabase,
    named: !(config.database.kind === 'url' && config.database.pooler === 'transaction'),
    contexts,
    poolSize: config.database.poolSize,
    timeoutMs: config.database.timeoutMs,
    applicationName: `trace-${config.role}`,
    mode: config.mode,
  }),
  QueueModule.forRoot(engines.queue, { kept: jobsKept(config) }, metrics?.jobs),
  ContentStorageModule.forRoot(engines.content, { notes: true }),
  SealedContentsModule.forRoot(
    [config.secrets.encryptionKey!, ...config.secrets.retiredEncryptionKeys],
    new ErasureSettings(config.erasure.folder, config.erasure.backupsKeptMs),
  ),
  ChainModule.forRoot({ config: config.chain, ...engines.chain }),
  // Identity knows no process maps; this class reads who may record which process.
  IdentityModule.forRoot(config, { processes: MapRecorders }),
  TraceabilityModule.forRoot(config),
  HealthModule,
  EngineHealthModule,
  ...(metrics ? [MetricsModule.forRoot(metrics)] : []),
];
