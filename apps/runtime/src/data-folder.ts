import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { OperatorError, isSystemError } from './operator-error.js';

/** The folder of the embedded engines, locked by one service at a time. */
export class DataFolder {
  private constructor(
    readonly path: string,
    private readonly lockFile: string,
  ) {}

  /** @throws OperatorError when it cannot be written or another service has locked it; the lock of a crashed service is replaced */
  static take(dataDir: string): DataFolder {
    const path = resolve(dataDir);
    const lockFile = join(path, 'service.lock');
    try {
      makeFolder(path);
      // A first write larger than a disk block, so that a full disk is noticed here and not inside an engine.
      const probe = join(path, '.probe');
      try {
        writeFileSync(probe, Buffer.alloc(65_536));
      } finally {
        rmSync(probe, { force: true });
      }
      if (!lock(lockFile)) throw new OperatorError(heldBy(lockFile, path));
    } catch (error) {
      if (error instanceof OperatorError || !isSystemError(error)) throw error;
      throw new OperatorError(sentence(error, path));
    }
    return new DataFolder(path, lockFile);
  }

  /** The process that has locked the folder, or null. */
  static holder(dataDir: string): number | null {
    const owner = read(join(resolve(dataDir), 'service.lock'));
    return owner && isRunning(owner) ? owner.pid : null;
  }

  release(): void {
    rmSync(this.lockFile, { force: true });
  }
}

/** Replaces a file that only its owner may read: after a kill at any moment, and on a full disk, it has the old content or the new one. */
export function replaceSecretFile(path: string, content: string): void {
  const aside = `${path}.new`;
  try {
    writeFileSync(aside, content, { mode: 0o600, flush: true });
    renameSync(aside, path);
  } catch (error) {
    rmSync(aside, { force: true });
    throw error;
  }
  if (process.platform === 'win32') return;
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** Node's own recursion never ends in a file system where nothing can be made, such as /proc (ENOENT although the parent exists). */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  if (!existsSync(dirname(path))) makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (!isSystemError(error) || error.code !== 'EEXIST') throw error;
  }
}

interface Owner {
  readonly pid: number;
  /** Kernel start time where there is one: a number that is not reused with the pid. */
  readonly started: string | null;
  /** The lock itself: in a copy of the folder it names the one that it was copied from. Locks of before have none. */
  readonly file?: string;
}

function lock(lockFile: string): boolean {
  const mine = JSON.stringify({ pid: process.pid, started: startOf(process.pid), file: lockFile } satisfies Owner);
  for (let tries = 0; tries < 2; tries++) {
    try {
      writeFileSync(lockFile, mine, { flag: 'wx' });
      return true;
    } catch (error) {
      if (!isSystemError(error) || error.code !== 'EEXIST') throw error;
    }
    const owner = read(lockFile);
    if (owner && isRunning(owner)) return false;
    rmSync(lockFile, { force: true });
  }
  return false;
}

function read(lockFile: string): Owner | null {
  try {
    return JSON.parse(readFileSync(lockFile, 'utf8')) as Owner;
  } catch {
    return null;
  }
}

function isRunning({ pid, started }: Owner): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return isSystemError(error) && error.code === 'EPERM';
  }
  return started === null || startOf(pid) === started;
}

/** Field 22 of /proc/PID/stat, counted after the parenthesised name; null where there is no /proc. */
function startOf(pid: number): string | null {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

function heldBy(lockFile: string, path: string): string {
  const { pid, file } = read(lockFile) ?? {};
  if (file !== undefined && isAnother(file, lockFile))
    return `${path} is a copy of ${dirname(file)}, made while the service there (process ${pid}) was running, so its files may not fit together. Stop that service, and copy its folder again.`;
  return `Another traceability service (process ${pid ?? 'unknown'}) is using ${path}. Stop that one, or give this one its own folder with DATA_DIR.`;
}

/** A folder has several paths where it is linked or mounted twice. */
function isAnother(file: string, lockFile: string): boolean {
  const [one, other] = [file, lockFile].map((path) => statSync(path, { throwIfNoEntry: false }));
  return one !== undefined && other !== undefined && (one.ino !== other.ino || one.dev !== other.dev);
}

function sentence({ code, message }: NodeJS.ErrnoException, path: string): string {
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return `There is no space left for the data folder ${path}. Free some, or choose another folder with DATA_DIR.`;
  // ENOENT is what a recursive mkdir says on a read-only file system, and of a link to nowhere.
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS' || code === 'ENOENT')
    return `The data folder ${path} cannot be written. Change its rights, or choose another folder with DATA_DIR.`;
  if (code === 'ENOTDIR' || code === 'EEXIST')
    return `The data folder ${path} is a file, or is inside a file. Choose another folder with DATA_DIR.`;
  return `The data folder ${path} is not usable: ${message}`;
}
