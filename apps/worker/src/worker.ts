import { type DynamicModule, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Config } from '#config';
import { NestLogger, createLogger } from '#http';
import {
  type Engines,
  type Metrics,
  OperatorError,
  baseModules,
  closeAll,
  openMetrics,
  openSpans,
  requireSharedEngines,
  startEngines,
  unusableBy,
  withSecrets,
} from '../../runtime/src/index.js';
import { SponsorWorkerModule } from '#transactions';
import { WorkerModule } from './worker.module.js';

@Module({})
class WorkerRole {
  static forRoot(config: Config, engines: Engines, metrics: Metrics | null): DynamicModule {
    const work =
      config.role === 'sponsor' ? SponsorWorkerModule.forRoot(config.sponsor, config.chain.pollMs) : WorkerModule.forRoot(config, metrics);
    return { module: WorkerRole, imports: [...baseModules(config, engines, metrics), work] };
  }
}

/** Background work only, or the sponsor only, on engines that other processes share. @throws OperatorError and the engines' own messages for operators */
export async function startWorker(given: Config, say: (line: string) => void): Promise<{ close(): Promise<void> }> {
  const config = withSecrets({ ...given, role: given.role === 'sponsor' ? 'sponsor' : 'worker' });
  if (config.role === 'sponsor' && config.sponsor.signer.kind === 'none')
    throw new OperatorError('ROLE=sponsor needs the key that pays: set SPONSOR_KEY, or SPONSOR_PKCS11_MODULE and what belongs to it.');
  requireSharedEngines(config);
  const opened = await openMetrics(config);
  if (opened) say(`Metrics at ${opened.url}`);
  const logger = createLogger(config.log);
  const spans = await openSpans(config, (line) => logger.warn(line));
  const engines = await startEngines(config, say);
  const app = await NestFactory.createApplicationContext(WorkerRole.forRoot(config, engines, opened?.metrics ?? null), {
    logger: new NestLogger(logger),
    abortOnError: false,
  }).catch((error: unknown) => {
    throw unusableBy('DATABASE_URL', error);
  });
  say(config.role === 'sponsor' ? 'The sponsor is running' : 'The worker is running');
  return {
    close: () =>
      closeAll([
        ['the application', () => app.close()],
        ['the engines', () => engines.close()],
        ['the metrics', () => opened?.close()],
        ['the traces', () => spans?.close()],
      ]),
  };
}
