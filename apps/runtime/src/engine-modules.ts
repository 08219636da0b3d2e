import type { DynamicModule } from '@nestjs/common';
import { ChainModule } from '#chain';
import type { Config } from '#config';
import { ContentStorageModule } from '#content-storage';
import { HealthModule } from '#http';
import { PersistenceModule } from '#persistence';
import { QueueModule } from '#queue';
import { contexts } from './contexts.js';
import type { Engines } from './engines.js';

/** The engines as Nest's global modules: what every role has beneath its contexts. */
export const engineModules = (config: Config, engines: Engines, role: string): DynamicModule[] => [
  PersistenceModule.forRoot({ endpoint: engines.database, contexts, poolSize: config.database.poolSize, applicationName: `trace-${role}`, mode: config.mode }),
  QueueModule.forRoot(engines.queue),
  ContentStorageModule.forRoot(engines.content),
  ChainModule.forRoot({ config: config.chain, ...engines.chain }),
  HealthModule as never,
];
