import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { eventuallyHolds } from '../harness/eventually.js';
import type { RunningQueueEngine } from './queue.suite.js';

export type RedisSource = { readonly from: 'TEST_REDIS_URL'; readonly url: string } | { readonly from: string; readonly program: string };

/** TEST_REDIS_URL, else a program to start: TEST_REDIS_BIN or `redis-server` on the path. */
export function findRedis(): RedisSource | null {
  const { TEST_REDIS_URL: url, TEST_REDIS_BIN: program } = process.env;
  if (url) return { from: 'TEST_REDIS_URL', url };
  if (program) return { from: program, program };
  return spawnSync('redis-server', ['--version']).status === 0 ? { from: 'redis-server', program: 'redis-server' } : null;
}

/** A server at a URL is used as it is, in a database that is emptied afterwards; a program is started here and may be killed. */
export async function startRedis(source: RedisSource): Promise<RunningQueueEngine> {
  if ('url' in source) return { engine: { kind: 'redis', url: source.url }, stop: () => forgetQueues(source.url) };
  const folder = await mkdtemp(join(tmpdir(), 'trace-redis-'));
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  let child = await launch(source.program, folder, port);
  const kill = async (): Promise<void> => {
    const closed = once(child, 'close');
    child.kill('SIGKILL');
    await closed;
  };
  return {
    engine: { kind: 'redis', url },
    kill,
    startAgain: async () => {
      child = await launch(source.program, folder, port);
    },
    stop: async () => {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function launch(program: string, folder: string, port: number): Promise<ChildProcess> {
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--maxmemory-policy', 'noeviction'];
  const child = spawn(program, [...settings, '--appendonly', 'yes', '--appendfsync', 'always'], { stdio: 'ignore' });
  const probe = new Redis({ port, host: '127.0.0.1', lazyConnect: true, maxRetriesPerRequest: 0 });
  probe.on('error', () => undefined);
  try {
    await eventuallyHolds(() => probe.ping());
  } finally {
    probe.disconnect();
  }
  return child;
}

async function forgetQueues(url: string): Promise<void> {
  const redis = new Redis(url);
  const keys = await redis.keys('bull:*');
  if (keys.length > 0) await redis.del(...keys);
  redis.disconnect();
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
