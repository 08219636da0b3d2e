import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PostgresEndpoint, withClient } from '#persistence';
import { eventuallyHolds } from '../harness/eventually.js';
import { freePort } from '../harness/free-port.js';

/** TEST_PGBOUNCER_BIN, or else `pgbouncer` on the path; null where there is none. */
export function findPgBouncer(): string | null {
  const program = process.env['TEST_PGBOUNCER_BIN'] ?? 'pgbouncer';
  return spawnSync(program, ['--version']).status === 0 ? program : null;
}

export interface RunningPgBouncer {
  /** The same database through it. */
  through(endpoint: PostgresEndpoint): PostgresEndpoint;
  stop(): Promise<void>;
}

/** In transaction mode before a server, of whose logins it asks the server itself. */
export async function startPgBouncer(program: string, { host, port, user }: PostgresEndpoint): Promise<RunningPgBouncer> {
  const folder = await mkdtemp(join(tmpdir(), 'trace-pgbouncer-'));
  const [own, file, users] = [await freePort(), join(folder, 'pgbouncer.ini'), join(folder, 'users.txt')];
  await writeFile(users, `"${user}" ""\n`);
  await writeFile(
    file,
    [
      '[databases]',
      `* = host=${host} port=${port} auth_user=${user}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${own}`,
      'unix_socket_dir =',
      'pool_mode = transaction',
      'auth_type = trust',
      `auth_file = ${users}`,
      'default_pool_size = 20',
      'max_client_conn = 500',
      'logfile =',
    ].join('\n'),
  );
  // It refuses to run as root. In a namespace where it is nobody, the socket of the server and its files are still its own.
  const asNobody = process.getuid?.() === 0 ? ['unshare', '--user', '--map-user=65534', '--map-group=65534', '--'] : [];
  const argv = [...asNobody, program, file];
  const child = spawn(argv[0]!, argv.slice(1), { stdio: ['ignore', 'ignore', 'pipe'] });
  const said: string[] = [];
  child.stderr.on('data', (data: Buffer) => said.push(String(data)));
  const through = (endpoint: PostgresEndpoint): PostgresEndpoint => ({ ...endpoint, host: '127.0.0.1', port: own });
  await eventuallyHolds(async () => {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended: ${said.join('')}`);
    await withClient(through({ host, port, user, database: 'postgres' }), (client) => client.query('select 1'));
  });
  return { through, stop: () => end(child, folder) };
}

async function end(child: ChildProcess, folder: string): Promise<void> {
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
  await rm(folder, { recursive: true, force: true });
}
