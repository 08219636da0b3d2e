import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** Another process serves this folder; two servers on one folder would destroy it. */
export class DataFolderInUse extends Error {
  constructor(
    readonly dataDir: string,
    readonly pid: number | null,
  ) {
    super(
      `The data folder ${dataDir} is in use by another running service${pid ? ` (its PostgreSQL is process ${pid})` : ''}. Stop that one first, or use another folder.`,
    );
  }
}

/** The folder cannot be served as it is: full, read-only, or of another PostgreSQL version. One sentence, with the remedy. */
export class DataFolderUnusable extends Error {
  constructor(
    readonly dataDir: string,
    sentence: string,
    options?: ErrorOptions,
  ) {
    super(`The data folder ${dataDir} ${sentence}`, options);
  }
}

/** What the operating system or the server said, as a sentence for people; null when it was something else. */
export function faultOf(dataDir: string, said: string): DataFolderInUse | DataFolderUnusable | null {
  if (/lock file "postmaster\.pid" already exists/.test(said)) return new DataFolderInUse(dataDir, postmasterOf(dataDir));
  if (/ENOSPC|EDQUOT|No space left on device|Disk quota exceeded/.test(said))
    return new DataFolderUnusable(dataDir, 'has no space left. Free some space and start again.');
  if (/EROFS|EACCES|EPERM|Read-only file system|Permission denied|Operation not permitted/.test(said))
    return new DataFolderUnusable(dataDir, 'cannot be written. Make it writable or use another folder.');
  if (/EEXIST|ENOTDIR|Not a directory/.test(said)) return new DataFolderUnusable(dataDir, 'is not a folder. Use another path.');
  const versions = /initialized by PostgreSQL version ([\d.]+), which is not compatible with this version ([\d.]+)/.exec(said);
  if (versions)
    return new DataFolderUnusable(
      dataDir,
      `was made by PostgreSQL ${versions[1]}; this is ${versions[2]}. Dump and restore it, or use another folder.`,
    );
  return null;
}

export const HOLDS_OTHERS = 'holds other files and no database. Use an empty folder.';

/** Makes the folder's parent, proves that it can be written, and clears what a killed start left. @throws DataFolderInUse, DataFolderUnusable */
export function prepareFolder(dataDir: string): void {
  const pid = postmasterOf(dataDir);
  if (pid) throw new DataFolderInUse(dataDir, pid);
  try {
    mkdirSync(dirname(dataDir), { recursive: true, mode: 0o700 });
    const probe = join(existsSync(dataDir) ? dataDir : dirname(dataDir), `.probe-${process.pid}`);
    try {
      writeFileSync(probe, Buffer.alloc(64 * 1024));
    } finally {
      rmSync(probe, { force: true });
    }
    // A process id of a reused number would make PostgreSQL believe that its old server still runs.
    rmSync(join(dataDir, 'postmaster.pid'), { force: true });
    clearUnfinished(dataDir);
    if (existsSync(dataDir) && !existsSync(join(dataDir, 'PG_VERSION')) && readdirSync(dataDir).length > 0)
      throw new DataFolderUnusable(dataDir, HOLDS_OTHERS);
  } catch (error) {
    if (error instanceof DataFolderUnusable) throw error;
    throw faultOf(dataDir, String(error)) ?? error;
  }
}

/** Where a new cluster is made before it is renamed into place, so that a half-made one is never served. */
export const unfinishedFolder = (dataDir: string): string => `${dataDir}.new-${process.pid}`;

function clearUnfinished(dataDir: string): void {
  const prefix = `${basename(dataDir)}.new-`;
  for (const entry of readdirSync(dirname(dataDir)).filter((name) => name.startsWith(prefix))) {
    const pid = Number(entry.slice(prefix.length));
    if (pid === process.pid || !isAlive(pid)) rmSync(join(dirname(dataDir), entry), { recursive: true, force: true });
  }
}

/** The process that serves the folder now, or null. A live process with the recorded id that is no PostgreSQL does not count. */
export function postmasterOf(dataDir: string): number | null {
  let pid: number;
  try {
    pid = Number(readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n')[0]);
  } catch {
    return null;
  }
  return Number.isInteger(pid) && pid > 0 && isAlive(pid) && /postgres/.test(commandOf(pid)) ? pid : null;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function commandOf(pid: number): string {
  try {
    // A killed server that nobody has reaped yet has an empty command line: it serves nothing any more.
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout ?? '';
  }
}

/** Follows from the data folder; a socket's path may hold 107 bytes only, so it does not lie inside. */
export const socketPath = (dataDir: string): string =>
  join(tmpdir(), `trace-pg-${createHash('sha256').update(dataDir).digest('hex').slice(0, 12)}`);

/**
 * The folder of the Unix socket: private, and outside of the data folder because a socket path may hold 107 bytes only.
 * @throws when somebody else has put a folder there
 */
export function socketFolder(dataDir: string, owner: number | null): string {
  const folder = socketPath(dataDir);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (owner !== null) handOver(folder, owner);
  const stat = lstatSync(folder);
  const mine = owner ?? process.getuid?.() ?? stat.uid;
  if (!stat.isDirectory() || stat.uid !== mine || (stat.mode & 0o077) !== 0)
    throw new Error(`${folder} belongs to somebody else or is open to others; remove it and start again.`);
  return folder;
}

/** Gives a folder to `owner` where it is not theirs: an earlier start as root may have used the other launch mode. */
export function handOver(folder: string, owner: number): void {
  if (existsSync(folder) && statSync(folder).uid !== owner) spawnSync('chown', ['-R', '-h', `${owner}:${owner}`, folder]);
}
