import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedPostgres, type PostgresEndpoint, startEmbeddedPostgres } from '#persistence';

/** A server of this spec's own, with fsync as in service: it may be killed without taking the other specs' along. */
export interface OwnPostgres {
  readonly server: () => EmbeddedPostgres;
  readonly endpoint: PostgresEndpoint;
  readonly dataDir: string;
  /** Ends the server hard and keeps it ended. */
  readonly kill: () => Promise<void>;
  readonly startAgain: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

export async function startOwnPostgres(binDir?: string): Promise<OwnPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'trace-own-'));
  const dataDir = join(folder, 'postgres');
  const start = (): Promise<EmbeddedPostgres> =>
    startEmbeddedPostgres({ dataDir, settings: { shared_buffers: '32MB' }, ...(binDir && { binDir }) });
  let server = await start();
  return {
    server: () => server,
    endpoint: server.endpoint,
    dataDir,
    // Immediate shutdown: no checkpoint, connections cut, recovery at the next start; and no restart by the supervisor.
    kill: () => server.stop('immediate'),
    startAgain: async () => {
      server = await start();
    },
    stop: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** TEST_POSTGRES_BIN, else where Debian's packages lie; the newest, 15 or later. */
export function findPostgresPrograms(): string | null {
  if (process.env.TEST_POSTGRES_BIN) return process.env.TEST_POSTGRES_BIN;
  const base = '/usr/lib/postgresql';
  const versions = existsSync(base)
    ? readdirSync(base)
        .map(Number)
        .filter((version) => version >= 15)
    : [];
  const newest = versions.length > 0 ? join(base, String(Math.max(...versions)), 'bin') : null;
  return newest && existsSync(join(newest, 'postgres')) ? newest : null;
}
