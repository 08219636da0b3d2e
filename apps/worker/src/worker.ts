import { type DynamicModule, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Config } from '#config';
import { NestLogger, createLogger } from '#http';
import {
  type Engines,
  type Metrics,
  baseModules,
  closeAll,
  openMetrics,
  openTraces,
  requireSharedEngines,
  startEngines,
  withSecrets,
} from '../../runtime/src/index.js';
import { WorkerModule } from './worker.module.js';

@Module({})
class WorkerRole {
  static forRoot(config: Config, engines: Engines, metrics: Metrics | null): DynamicModule {
    return { module: WorkerRole, imports: [...baseModules(config, engines, metrics), WorkerModule.forRoot(config, metrics)] };
  }
}

/** The work in the background alone, on engines that other processes share. @throws sentences for operators */
export async function startWorker(given: Config, say: (line: string) => void): Promise<{ close(): Promise<void> }> {
  const config = withSecrets({ ...given, role: 'worker' });
  requireSharedEngines(config);
  const opened = await openMetrics(config);
  if (opened) say(`Metrics at ${opened.url}`);
  const logger = createLogger(config.log);
  const traces = await openTraces(config, (line) => logger.warn(line));
  const engines = await startEngines(config, say);
  const app = await NestFactory.createApplicationContext(WorkerRole.forRoot(config, engines, opened?.metrics ?? null), {
    logger: new NestLogger(logger),
    abortOnError: false,
  });
  say('The worker runs');
  return {
    close: () => closeAll([() => app.close(), () => engines.close(), () => opened?.close(), () => traces?.close()]),
  };
}
