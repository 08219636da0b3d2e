import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { PostgresEndpoint } from '../endpoint.js';
import { LOGIN, bootstrap } from './bootstrap.js';
import {
  DataFolderInUse,
  DataFolderUnusable,
  faultOf,
  HOLDS_OTHERS,
  handOver,
  prepareFolder,
  socketFolder,
  unfinishedFolder,
} from './data-folder.js';
import { type Binaries, findBinaries, type Launch, type LaunchMode, planLaunch } from './launch.js';

export interface EmbeddedPostgresOptions {
  /** Folder of the cluster; made when it is not there. */
  readonly dataDir: string;
  /** `postgres -c` settings over our defaults. */
  readonly settings?: Readonly<Record<string, string | number>>;
  /** Folder with `initdb` and `postgres`; default: the npm package of the platform. */
  readonly binDir?: string;
  /** False launches root's server as nobody even where user namespaces are allowed. */
  readonly allowNamespace?: boolean;
}

/** A running server that this process owns, on a private Unix socket. It starts again by itself when it dies while we live. */
export interface EmbeddedPostgres {
  /** The service's own login, which is no superuser. */
  readonly endpoint: PostgresEndpoint;
  /** For bootstrap and tests; the service never logs in with it. */
  readonly superuser: PostgresEndpoint;
  /** Changes when the server had to be started again. */
  readonly pid: number;
  readonly mode: LaunchMode;
  /** Called each time the server ended without being asked to; it is being started again. */
  onExit(listener: (fault: Error) => void): void;
  /** Ends connections and the server. Immediate: without a checkpoint, as a crash would; the next start recovers. */
  stop(how?: 'fast' | 'immediate'): Promise<void>;
}

const DEFAULTS = { listen_addresses: '', unix_socket_permissions: '0700', max_connections: 100, shared_buffers: '128MB', jit: 'off' };
const LONGEST_PAUSE_MS = 5_000;
const STOP_PATIENCE_MS = 15_000;

/** @throws DataFolderInUse, DataFolderUnusable with a sentence for people */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const dataDir = resolve(options.dataDir);
  const launch = planLaunch(options.allowNamespace);
  const binaries = await findBinaries(options.binDir);
  prepareFolder(dataDir);
  if (!existsSync(resolve(dataDir, 'PG_VERSION'))) await initialise(dataDir, launch, binaries, options.settings?.fsync === 'off');
  if (launch.uid !== null) handOver(dataDir, launch.uid);
  const host = socketFolder(dataDir, launch.uid);
  const settings = { ...DEFAULTS, unix_socket_directories: host, ...options.settings };
  const server = new Server(dataDir, host, launch, () =>
    launch.run(binaries.postgres, ['-D', dataDir, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])]),
  );
  try {
    await server.start();
    await bootstrap(server.superuser);
  } catch (error) {
    // The socket of a folder that another service holds is that service's.
    if (!(error instanceof DataFolderInUse)) await server.stop();
    throw error;
  }
  return server;
}

/** Makes the cluster aside and renames it into place: a start killed half-way leaves nothing that looks like a database. */
async function initialise(dataDir: string, launch: Launch, binaries: Binaries, noSync: boolean): Promise<void> {
  const fresh = unfinishedFolder(dataDir);
  // The built-in locale sorts alike on every machine; before 17 the C library's C.UTF-8 comes nearest.
  const locale = binaries.major >= 17 ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'] : ['--locale=C.UTF-8'];
  const sync = noSync ? ['--no-sync'] : [];
  try {
    mkdirSync(fresh, { mode: 0o700 });
    if (launch.uid !== null) handOver(fresh, launch.uid);
    const child = launch.run(binaries.initdb, [
      ...['-D', fresh, '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--no-instructions'],
      ...locale,
      ...sync,
    ]);
    const said = collect(child);
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw new Error(`could not be initialised (${code}): ${said().trim()}`);
    // Onto an empty folder this succeeds; a cluster that another process has put there meanwhile is never overwritten.
    renameSync(fresh, dataDir);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    if ((error as NodeJS.ErrnoException).code === 'ENOTEMPTY') throw new DataFolderUnusable(dataDir, HOLDS_OTHERS, { cause: error });
    throw faultOf(dataDir, String(error)) ?? error;
  }
}

class Server implements EmbeddedPostgres {
  readonly endpoint: PostgresEndpoint;
  readonly superuser: PostgresEndpoint;
  private child: ChildProcess | null = null;
  private stopping: AbortController = new AbortController();
  private restarting: Promise<void> = Promise.resolve();
  private readonly listeners: ((fault: Error) => void)[] = [];
  private readonly killOnExit = (): void => void this.child?.kill('SIGINT');

  constructor(
    private readonly dataDir: string,
    private readonly socketDir: string,
    private readonly launch: Launch,
    private readonly spawnServer: () => ChildProcess,
  ) {
    this.superuser = { host: socketDir, port: 5432, user: 'postgres', database: 'postgres' };
    this.endpoint = { ...this.superuser, ...LOGIN };
  }

  get pid(): number {
    return this.child?.pid ?? 0;
  }

  get mode(): LaunchMode {
    return this.launch.mode;
  }

  onExit(listener: (fault: Error) => void): void {
    this.listeners.push(listener);
  }

  /** Resolves when the server takes connections. */
  async start(): Promise<void> {
    const child = this.spawnServer();
    const said = collect(child);
    const ready = withResolvers();
    child.stderr!.on('data', () => {
      if (said().includes('database system is ready to accept connections')) ready.resolve();
    });
    child.once('error', (error) => ready.reject(error));
    child.once('close', (code, signal) => {
      const fault = faultOf(this.dataDir, said()) ?? new Error(`PostgreSQL ended (${signal ?? code}): ${said().trim().slice(-2_000)}`);
      ready.reject(fault);
      if (this.child === child) this.ended(fault);
    });
    await ready.promise;
    this.child = child;
    // Where the kernel sends no death signal (macOS), an orderly exit of this process still takes the server along.
    process.once('exit', this.killOnExit);
  }

  private ended(fault: Error): void {
    this.child = null;
    process.off('exit', this.killOnExit);
    if (this.stopping.signal.aborted) return;
    this.tell(fault);
    this.restarting = this.restart();
  }

  private async restart(): Promise<void> {
    for (let pause = 100; !this.stopping.signal.aborted; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      try {
        return await this.start();
      } catch (error) {
        this.tell(error as Error);
        // Backends of a killed server need a moment to see it and to let go of its shared memory.
        await wait(pause, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      }
    }
  }

  private tell(fault: Error): void {
    for (const listener of this.listeners) listener(fault);
  }

  async stop(how: 'fast' | 'immediate' = 'fast'): Promise<void> {
    this.stopping.abort();
    await this.restarting;
    process.off('exit', this.killOnExit);
    const child = this.child;
    if (child) {
      const closed = once(child, 'close');
      child.kill(how === 'fast' ? 'SIGINT' : 'SIGQUIT');
      const patience = setTimeout(() => child.kill('SIGQUIT'), STOP_PATIENCE_MS);
      await closed;
      clearTimeout(patience);
    }
    rmSync(this.socketDir, { recursive: true, force: true });
  }
}

/** Keeps reading the log, so that the server never blocks on a full pipe, and remembers its end. */
function collect(child: ChildProcess): () => string {
  let said = '';
  child.stderr!.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-20_000);
  });
  return () => said;
}

function withResolvers(): { promise: Promise<void>; resolve(): void; reject(error: Error): void } {
  let resolve!: () => void;
  let reject!: (error: Error) => void;
  const promise = new Promise<void>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
