import type { Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';

/** Shorter than the default time after which orchestrators kill a process. */
const GRACE_MS = 25_000;

/**
 * Accepts no more requests and lets running ones finish, before Nest closes the providers that they use. Requests that take longer than the
 * grace period are aborted.
 */
export async function drain(app: NestFastifyApplication, graceMs = GRACE_MS): Promise<void> {
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  const server: Server = app.getHttpServer();
  // A connection with a running request at the time of the close would be kept alive after it.
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  const closed = new AbortController();
  const abort = pause(graceMs, undefined, { signal: closed.signal }).then(
    () => server.closeAllConnections(),
    () => undefined,
  );
  await Promise.race([fastify.close(), abort]);
  closed.abort();
  clearInterval(idle);
}
