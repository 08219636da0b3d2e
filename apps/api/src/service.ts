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
  openSpans,
  requireFreePort,
  requireSharedEngines,
  startEngines,
  unusableBy,
  withSecrets,
} from '../../runtime/src/index.js';
import { ApiModule } from './api.module.js';
import { readLogins } from './demo-logins.js';
import { serveGuide } from './guide.js';
import { servePortal } from './portal.js';

export interface RunningService {
  readonly config: Config;
  readonly baseUrl: string;
  readonly engines: Engines;
  readonly app: NestFastifyApplication;
  /** Address of the metrics; null without METRICS_PORT. */
  readonly metricsUrl: string | null;
  /** Running requests and attempts end first; then the engines that were started here stop. */
  close(): Promise<void>;
}

/** Starts the configured engines, and the HTTP role on them. @throws OperatorError, the engines' own messages for operators, and when `stopping` */
export async function startService(
  given: Config,
  say: (line: string) => void,
  logger: Logger = createLogger(given.log),
  stopping: AbortSignal = new AbortController().signal,
): Promise<RunningService> {
  requireSharedEngines(given);
  // The folder first: a second start of the same service must say so, and not that another program uses its port.
  const folder = DataFolder.take(given.dataDir);
  let engines: Engines | null = null;
  let app: NestFastifyApplication | null = null;
  let opened: OpenMetrics | null = null;
  let spans: OpenTracing | null = null;
  const close = (): Promise<void> =>
    closeAll([
      ['running requests', () => app && drain(app)],
      ['the application', () => app?.close()],
      ['the engines', () => engines?.close()],
      ['the metrics', () => opened?.close()],
      ['the traces', () => spans?.close()],
      ['the data folder', () => folder.release()],
    ]);
  try {
    await requireFreePort(given.http.host, given.http.port);
    opened = await openMetrics(given);
    spans = await openSpans(given, (line) => logger.warn(line));
    const [config, metrics] = [withSecrets(given), opened?.metrics ?? null];
    engines = await startEngines(config, say, stopping);
    say('Starting the API');
    const options = { config, logger, ...(metrics && { requests: metrics.requests }) };
    app = await createHttpApp(ApiModule.forRoot(config, engines, metrics), options);
    servePages(app, config.dataDir);
    await app.listen(config.http.port, config.http.host);
    return { config, engines, app, metricsUrl: opened?.url ?? null, close, baseUrl: addressOf(app) };
  } catch (error) {
    await close().catch(() => undefined);
    throw given.database.kind === 'url' ? unusableBy('DATABASE_URL', error) : error;
  }
}

/** What people read in a browser. */
function servePages(app: NestFastifyApplication, dataDir: string): void {
  openApi(app);
  serveGuide(app);
  const { chainId, clientRpcUrl } = app.get(ChainProfile);
  servePortal(app, { chainId, clientRpcUrl, hasDemo: demoCheck(dataDir) });
}

/** The demo may be created after the start; it is not looked up again after it was found. */
function demoCheck(dataDir: string): () => boolean {
  let exists = false;
  return () => (exists ||= readLogins(dataDir) !== null);
}

/** With the actual port, and a host that a client can use. */
function addressOf(app: NestFastifyApplication): string {
  const { address, port, family } = app.getHttpServer().address() as { address: string; port: number; family: string };
  const host = address === '0.0.0.0' || address === '::' ? 'localhost' : family === 'IPv6' ? `[${address}]` : address;
  return `http://${host}:${port}`;
}
