import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, readSync, writeSync, fstatSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Path } from '#envelope';

/** The values of a content that were erased. */
export interface ErasedContent {
  readonly cid: string;
  /** Null of a note, which is erased as a whole. */
  readonly eventId: string | null;
  readonly paths: readonly Path[];
  /** They were erased of a person, so their values were looked for in all rows of the tenant. */
  readonly ofPerson?: true;
}

/** One transaction of an erasure: ids and paths, never a value. */
export interface ErasureEntry {
  readonly tenantId: string;
  readonly id: string;
  readonly part: number;
  readonly erasedAt: string;
  /** User or API key id. */
  readonly erasedBy: string;
  /** How many values. */
  readonly values: number;
  readonly contents: readonly ErasedContent[];
}

export const entryName = ({ id, part }: Pick<ErasureEntry, 'id' | 'part'>): string => `${id} ${part}`;

/** Where the erasure log is, and for how long backups can be read. */
export class ErasureSettings {
  /** @param folder outside of the database and its dumps */
  constructor(
    readonly folder: string,
    readonly backupsKeptMs: number,
  ) {}

  get logFile(): string {
    return `${this.folder}/erasures.jsonl`;
  }
}

/** A file to which erasures are appended, one line each, and from which nothing is removed. */
export class ErasureLog {
  private known = new Set<string>();
  /** So many bytes of the file are in `known`. */
  private at = 0;

  constructor(private readonly path: string) {}

  /** Of all entries. The file only grows, so only what was added since the last call is read. */
  names(): ReadonlySet<string> {
    const size = this.inFile((file) => fstatSync(file).size) ?? 0;
    // Another file took its place.
    if (size < this.at) [this.known, this.at] = [new Set(), 0];
    const added = this.inFile((file) => bytesOf(file, this.at, size - this.at)) ?? Buffer.alloc(0);
    const end = added.lastIndexOf('\n') + 1;
    for (const line of added.toString('utf8', 0, end).split('\n')) {
      const entry = entryOf(line);
      if (entry) this.known.add(entryName(entry));
    }
    this.at += end;
    return this.known;
  }

  /** Lines that a crash cut off are left out: the database has them, or nobody was answered. */
  read(): ErasureEntry[] {
    return textOf(this.path)
      .split('\n')
      .flatMap((line) => entryOf(line) ?? []);
  }

  /** On the disk when it returns. */
  append(entries: readonly ErasureEntry[]): void {
    if (entries.length === 0) return;
    mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
    const file = openSync(this.path, 'a+', 0o600);
    try {
      // A line that was cut off ends here.
      const { size } = fstatSync(file);
      const start = size === 0 || bytesOf(file, size - 1, 1).toString() === '\n' ? '' : '\n';
      writeSync(file, start + entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  }

  /** Null while there is no file. */
  private inFile<T>(read: (file: number) => T): T | null {
    let file: number;
    try {
      file = openSync(this.path, 'r');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
    try {
      return read(file);
    } finally {
      closeSync(file);
    }
  }
}

function bytesOf(file: number, from: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(file, bytes, 0, length, from));
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

function entryOf(line: string): ErasureEntry | null {
  try {
    const entry = JSON.parse(line) as Partial<ErasureEntry> | null;
    return typeof entry?.id === 'string' && typeof entry.tenantId === 'string' && Array.isArray(entry.contents)
      ? (entry as ErasureEntry)
      : null;
  } catch {
    return null;
  }
}
