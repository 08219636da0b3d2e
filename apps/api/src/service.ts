import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import type { Config } from '#config';
import { ChainProfile } from '#chain';
import { createHttpApp, createLogger, drain, openApi } from '#http';
import type { OpenTracing } from '#tracing';
import {
  DataFolder,
  type Engines,
  type OpenMetrics,
  closeAll,
  openMetrics,
  openTraces,
  requireFreePort,
  requireSharedEngines,
  startEngines,
  withSecrets,
} from '../../runtime/src/index.js';
import { ApiModule } from './api.module.js';
import { readLogins } from './demo-logins.js';
import { servePortal } from './portal.js';

export interface RunningService {
  readonly config: Config;
  readonly baseUrl: string;
  readonly engines: Engines;
  readonly app: NestFastifyApplication;
  /** Where Prometheus reads; null without METRICS_PORT. */
  readonly metricsUrl: string | null;
  /** Requests and attempts in flight end first, then the engines that were started here stop. */
  close(): Promise<void>;
}

/** Starts the engines that the configuration names and the HTTP role on them. @throws sentences for operators */
export async function startService(
  given: Config,
  say: (line: string) => void,
  logger: Logger = createLogger(given.log),
): Promise<RunningService> {
  requireSharedEngines(given);
  // The folder first: a second start of the same service is told so, not that some program has its port.
  const folder = DataFolder.take(given.dataDir);
  let engines: Engines | null = null;
  let app: NestFastifyApplication | null = null;
  let opened: OpenMetrics | null = null;
  let traces: OpenTracing | null = null;
  const close = (): Promise<void> =>
    closeAll([
      () => app && drain(app),
      () => app?.close(),
      () => engines?.close(),
      () => opened?.close(),
      () => traces?.close(),
      () => folder.release(),
    ]);
  try {
    await requireFreePort(given.http.host, given.http.port);
    opened = await openMetrics(given);
    traces = await openTraces(given, (line) => logger.warn(line));
    const metrics = opened?.metrics ?? null;
    const config = withSecrets(given);
    engines = await startEngines(config, say);
    say('Starting the API');
    app = await createHttpApp(ApiModule.forRoot(config, engines, metrics), {
      config,
      logger,
      ...(metrics && { requests: metrics.requests }),
    });
    openApi(app);
    const { chainId, clientRpcUrl } = app.get(ChainProfile);
    servePortal(app, { chainId, clientRpcUrl, hasDemo: rememberedDemo(config.dataDir) });
    await app.listen(config.http.port, config.http.host);
    return { config, engines, app, metricsUrl: opened?.url ?? null, close, baseUrl: addressOf(app) };
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
}

/** The demo may be seeded after the start; once it stands, it stands. */
function rememberedDemo(dataDir: string): () => boolean {
  let stands = false;
  return () => (stands ||= readLogins(dataDir) !== null);
}

/** With the port that was really taken, and a host that a client can use. */
function addressOf(app: NestFastifyApplication): string {
  const { address, port, family } = app.getHttpServer().address() as { address: string; port: number; family: string };
  const host = address === '0.0.0.0' || address === '::' ? 'localhost' : family === 'IPv6' ? `[${address}]` : address;
  return `http://${host}:${port}`;
}
