import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { withClient, type PostgresEndpoint } from '../connection/endpoint.js';
import { socketFolder } from '../embedded/data-folder.js';
import { findBinaries, planLaunch } from '../embedded/launch.js';

/** A server that follows another one, and can be read meanwhile. */
export interface StandbyServer {
  /** The folder of its socket. */
  readonly host: string;
  /** Makes it a primary server; resolves when it takes writes. */
  promote(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Copies the server of this superuser and starts a standby of it.
 * @param binDir has `pg_basebackup` too, which the packaged PostgreSQL lacks
 */
export async function startStandby(primary: PostgresEndpoint, binDir: string, dataDir: string): Promise<StandbyServer> {
  const launch = planLaunch();
  const { host, port, user } = primary;
  const from = ['--host', host, '--port', String(port), '--username', user];
  await ended(
    launch.run(join(binDir, 'pg_basebackup'), [...from, '--pgdata', dataDir, '--write-recovery-conf', '--checkpoint=fast', '--no-sync']),
  );
  const socket = socketFolder(dataDir, launch.uid);
  const settings = { listen_addresses: '', unix_socket_directories: socket, unix_socket_permissions: '0700', shared_buffers: '32MB' };
  const { postgres } = await findBinaries(binDir);
  const server = launch.run(postgres, ['-D', dataDir, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])]);
  await said(server, 'ready to accept read-only connections');
  return {
    host: socket,
    promote: () => withClient({ ...primary, host: socket }, async (client) => void (await client.query('select pg_promote()'))),
    stop: async () => {
      const closed = once(server, 'close');
      server.kill('SIGINT');
      await closed;
    },
  };
}

/** @throws Error with what the program wrote */
async function ended(program: ChildProcess): Promise<void> {
  const output = outputOf(program);
  const [code] = (await once(program, 'close')) as [number | null];
  if (code !== 0) throw new Error(`ended with ${code}: ${output()}`);
}

function said(server: ChildProcess, sentence: string): Promise<void> {
  const output = outputOf(server);
  return new Promise((resolve, reject) => {
    server.stderr!.on('data', () => {
      if (output().includes(sentence)) resolve();
    });
    server.once('close', () => reject(new Error(`the standby ended: ${output()}`)));
  });
}

function outputOf(program: ChildProcess): () => string {
  let output = '';
  program.stderr!.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-20_000)));
  return () => output;
}
