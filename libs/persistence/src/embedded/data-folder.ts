import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** Another process uses this folder; two servers on one folder would destroy it. */
export class DataFolderInUse extends Error {
  constructor(
    readonly dataDir: string,
    readonly pid: number | null,
  ) {
    super(
      `The data folder ${dataDir} is in use by another running service${pid ? ` (its PostgreSQL is process ${pid})` : ''}. Stop it first, or use another folder.`,
    );
  }
}

/** The folder cannot be used: full, read-only, or of another PostgreSQL version. The message says what to do. */
export class DataFolderUnusable extends Error {
  constructor(
    readonly dataDir: string,
    sentence: string,
    options?: ErrorOptions,
  ) {
    super(`The data folder ${dataDir} ${sentence}`, options);
  }
}

/** Turns output of the operating system or the server into an error for people; null when it is something else. */
export function faultOf(dataDir: string, output: string): DataFolderInUse | DataFolderUnusable | null {
  if (/lock file "postmaster\.pid" already exists/.test(output)) return new DataFolderInUse(dataDir, postmasterOf(dataDir));
  if (/ENOSPC|EDQUOT|No space left on device|Disk quota exceeded/.test(output))
    return new DataFolderUnusable(dataDir, 'has no space left. Free some space and start again.');
  if (/EROFS|EACCES|EPERM|Read-only file system|Permission denied|Operation not permitted/.test(output))
    return new DataFolderUnusable(dataDir, 'cannot be written. Make it writable or use another folder.');
  if (/EEXIST|ENOTDIR|Not a directory/.test(output)) return new DataFolderUnusable(dataDir, 'is not a folder. Use another path.');
  const versions = /initialized by PostgreSQL version ([\d.]+), which is not compatible with this version ([\d.]+)/.exec(output);
  if (versions)
    return new DataFolderUnusable(
      dataDir,
      `was created by PostgreSQL ${versions[1]}; this is ${versions[2]}. Dump and restore it, or use another folder.`,
    );
  return null;
}

export const NOT_A_DATABASE = 'contains other files and no database. Use an empty folder.';

/** Creates the parent folder, checks that it is writable, and removes what a killed start left. @throws DataFolderInUse, DataFolderUnusable */
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
    // If the process id was reused, PostgreSQL would think that its old server is still running.
    rmSync(join(dataDir, 'postmaster.pid'), { force: true });
    clearUnfinished(dataDir);
    if (existsSync(dataDir) && !existsSync(join(dataDir, 'PG_VERSION')) && readdirSync(dataDir).length > 0)
      throw new DataFolderUnusable(dataDir, NOT_A_DATABASE);
  } catch (error) {
    if (error instanceof DataFolderUnusable) throw error;
    throw faultOf(dataDir, String(error)) ?? error;
  }
}

/** A new cluster is created here and then renamed, so that an incomplete one is never used. */
export const unfinishedFolder = (dataDir: string): string => `${dataDir}.new-${process.pid}`;

function clearUnfinished(dataDir: string): void {
  const prefix = `${basename(dataDir)}.new-`;
  for (const entry of readdirSync(dirname(dataDir)).filter((name) => name.startsWith(prefix))) {
    const pid = Number(entry.slice(prefix.length));
    if (pid === process.pid || !isAlive(pid)) rmSync(join(dirname(dataDir), entry), { recursive: true, force: true });
  }
}

/** The PostgreSQL process that uses the folder now, or null. Another process that has the recorded id does not count. */
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
    // A killed server that is still a zombie has an empty command line.
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout ?? '';
  }
}

/** Derived from the data folder, but outside of it: the path of a socket may have at most 107 bytes. */
export const socketPath = (dataDir: string): string =>
  join(tmpdir(), `trace-pg-${createHash('sha256').update(dataDir).digest('hex').slice(0, 12)}`);

/**
 * Creates the private folder of the Unix socket.
 * @throws when the folder belongs to another user
 */
export function socketFolder(dataDir: string, owner: number | null): string {
  const folder = socketPath(dataDir);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (owner !== null) handOver(folder, owner);
  const stat = lstatSync(folder);
  const mine = owner ?? process.getuid?.() ?? stat.uid;
  if (!stat.isDirectory() || stat.uid !== mine || (stat.mode & 0o077) !== 0)
    throw new Error(`${folder} belongs to another user or is accessible to others; remove it and start again.`);
  return folder;
}

/** Makes `owner` the owner of a folder if necessary: an earlier start as root may have used the other launch mode. */
export function handOver(folder: string, owner: number): void {
  if (existsSync(folder) && statSync(folder).uid !== owner) spawnSync('chown', ['-R', '-h', `${owner}:${owner}`, folder]);
}
