import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join, resolve as resolvePath } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { PostgresEndpoint } from '../connection/endpoint.js';
import { type Binaries, bootstrap, findBinaries, type Launch, type LaunchMode, LOGIN, planLaunch } from './launch.js';
import {
  DataFolderInUse,
  DataFolderUnusable,
  faultOf,
  handOver,
  NOT_A_DATABASE,
  prepareFolder,
  socketFolder,
  unfinishedFolder,
} from './data-folder.js';

export interface EmbeddedPostgresOptions {
  /** Folder of the cluster; created if it does not exist. */
  readonly dataDir: string;
  /** `postgres -c` settings that override the defaults. */
  readonly settings?: Readonly<Record<string, string | number>>;
  /** Folder with `initdb` and `postgres`; default: the npm package for the platform. */
  readonly binDir?: string;
  /** False: root starts the server as nobody even if user namespaces are allowed. */
  readonly allowNamespace?: boolean;
}

/** A running server that this process owns, on a private Unix socket. It is restarted when it dies. */
export interface EmbeddedPostgres {
  /** The service's own login, which is not a superuser. */
  readonly endpoint: PostgresEndpoint;
  /** For bootstrap and tests; the service itself never uses it. */
  readonly superuser: PostgresEndpoint;
  /** Changes when the server is restarted. */
  readonly pid: number;
  readonly mode: LaunchMode;
  /** Called each time the server ended unexpectedly; it is being restarted. */
  onExit(listener: (fault: Error) => void): void;
  /** Called when it runs again after that. */
  onRestart(listener: () => void): void;
  /** Ends connections and the server. `immediate`: without a checkpoint, like a crash; the next start recovers. */
  stop(how?: 'fast' | 'immediate'): Promise<void>;
}

const DEFAULTS = { listen_addresses: '', unix_socket_permissions: '0700', max_connections: 100, shared_buffers: '128MB', jit: 'off' };
const MAX_PAUSE_MS = 5_000;
/** Of the server's output, in the message of its end. */
const LAST_LINES = 10;
const STOP_TIMEOUT_MS = 15_000;

/** @throws DataFolderInUse, DataFolderUnusable */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const dataDir = resolvePath(options.dataDir);
  const launch = planLaunch(options.allowNamespace);
  const binaries = await findBinaries(options.binDir);
  prepareFolder(dataDir);
  if (!existsSync(join(dataDir, 'PG_VERSION'))) await initialise(dataDir, launch, binaries, options.settings?.fsync === 'off');
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
    // In a folder that another service uses, the socket belongs to that service.
    if (!(error instanceof DataFolderInUse)) await server.stop();
    throw error;
  }
  return server;
}

/** Creates the cluster in a temporary folder and renames it: after a kill in between there is nothing that looks like a database. */
async function initialise(dataDir: string, launch: Launch, binaries: Binaries, noSync: boolean): Promise<void> {
  const fresh = unfinishedFolder(dataDir);
  // The built-in locale has the same sort order on every machine; before version 17, the C library's C.UTF-8 is the closest one.
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
    const output = collectOutput(child);
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw new Error(`could not be initialised (${code}): ${output().trim()}`);
    // Succeeds only if the target is missing or empty: a cluster that another process has created is never overwritten.
    renameSync(fresh, dataDir);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    if ((error as NodeJS.ErrnoException).code === 'ENOTEMPTY') throw new DataFolderUnusable(dataDir, NOT_A_DATABASE, { cause: error });
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
  private readonly restarted: (() => void)[] = [];
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

  onRestart(listener: () => void): void {
    this.restarted.push(listener);
  }

  /** Resolves when the server accepts connections. */
  async start(): Promise<void> {
    const child = this.spawnServer();
    const output = collectOutput(child);
    const ready = withResolvers();
    child.stderr!.on('data', () => {
      if (output().includes('database system is ready to accept connections')) ready.resolve();
    });
    child.once('error', (error) => ready.reject(error));
    child.once('close', (code, signal) => {
      // Its last lines: an earlier one may be of a fault that is long over.
      const tail = output().trim().split('\n').slice(-LAST_LINES).join('\n');
      const fault = faultOf(this.dataDir, tail) ?? new Error(`PostgreSQL ended (${signal ?? code})\n${tail}`);
      ready.reject(fault);
      if (this.child === child) this.ended(fault);
    });
    await ready.promise;
    this.child = child;
    // On systems without a death signal (macOS), an orderly exit of this process stops the server too.
    process.once('exit', this.killOnExit);
  }

  private ended(fault: Error): void {
    this.child = null;
    process.off('exit', this.killOnExit);
    if (this.stopping.signal.aborted) return;
    this.notify(fault);
    this.restarting = this.restart();
  }

  private async restart(): Promise<void> {
    for (let pause = 100; !this.stopping.signal.aborted; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
      try {
        await this.start();
        for (const listener of this.restarted) listener();
        return;
      } catch (error) {
        this.notify(error as Error);
        // Backends of a killed server need a moment until they release its shared memory.
        await wait(pause, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      }
    }
  }

  private notify(fault: Error): void {
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
      const timeout = setTimeout(() => child.kill('SIGQUIT'), STOP_TIMEOUT_MS);
      await closed;
      clearTimeout(timeout);
    }
    rmSync(this.socketDir, { recursive: true, force: true });
  }
}

/** Reads all output, so that the server never blocks on a full pipe, and keeps the end of it. */
function collectOutput(child: ChildProcess): () => string {
  let output = '';
  child.stderr!.on('data', (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-20_000);
  });
  return () => output;
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
