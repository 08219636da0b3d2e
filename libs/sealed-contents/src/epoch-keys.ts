import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { KEY_BYTES } from '#envelope';

const NAME = /^(\d{4}-\d\d-\d\d)\.key$/;

/** The key of a day, in UTC, by which backups of that day are encrypted. */
export interface EpochKey {
  readonly epoch: string;
  readonly key: Buffer;
}

/** Keys of backups: without its key a backup cannot be read by anybody. They are files outside of the database and of its dumps. */
export class EpochKeys {
  private readonly folder: string;

  constructor(
    erasureFolder: string,
    /** A day at least. */
    private readonly keptMs: number,
  ) {
    this.folder = join(erasureFolder, 'epochs');
  }

  /** Made when it is first asked for; of two processes that ask at once both get the same. */
  current(now: Date): EpochKey {
    const epoch = now.toISOString().slice(0, 10);
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    try {
      const file = openSync(this.pathOf(epoch), 'wx', 0o600);
      writeSync(file, randomBytes(KEY_BYTES));
      fsyncSync(file);
      closeSync(file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const found = this.find(epoch);
    if (found === null) throw new Error(`the key ${this.pathOf(epoch)} is not whole: remove it, and make the backup again`);
    return found;
  }

  /** Null for one that was destroyed, or is not here. */
  find(epoch: string): EpochKey | null {
    try {
      const key = readFileSync(this.pathOf(epoch));
      return key.length === KEY_BYTES ? { epoch, key } : null;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }

  /** Those whose day began so long ago that their backups may no longer be read. @returns their days */
  destroyOld(now: Date): string[] {
    const old = this.all().filter((epoch) => this.endOf(epoch) <= now);
    for (const epoch of old) destroy(this.pathOf(epoch));
    return old;
  }

  private all(): string[] {
    try {
      return readdirSync(this.folder).flatMap((name) => NAME.exec(name)?.[1] ?? []);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  }

  /** When the backups of a day end. */
  endOf(epoch: string): Date {
    return new Date(Date.parse(epoch) + this.keptMs);
  }

  private readonly pathOf = (epoch: string): string => join(this.folder, `${epoch}.key`);
}

/** Overwritten before it is removed, for disks that keep the blocks of removed files. */
function destroy(path: string): void {
  const { size } = statSync(path);
  const file = openSync(path, 'r+');
  try {
    writeSync(file, randomBytes(size));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  rmSync(path);
}
