import type { Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';

/** What orchestrators wait by default before they kill. */
const GRACE_MS = 25_000;

/**
 * Takes no more requests and lets those in flight end, before anything that they need is closed: Nest would close what stands behind
 * the routes first. What takes longer than the grace is cut.
 */
export async function drain(app: NestFastifyApplication, graceMs = GRACE_MS): Promise<void> {
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  const server: Server = app.getHttpServer();
  // One that had a request in flight when the server closed would be kept alive after it.
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  const ended = new AbortController();
  const cut = pause(graceMs, undefined, { signal: ended.signal }).then(
    () => server.closeAllConnections(),
    () => undefined,
  );
  await Promise.race([fastify.close(), cut]);
  ended.abort();
  clearInterval(idle);
}
