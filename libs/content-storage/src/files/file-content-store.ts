import { randomUUID } from 'node:crypto';
import { readFile as readWithCallback } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { EngineUnavailable } from '#kernel';
import { addressOf, type ContentAddress, ContentStore, isContentCid, verified, withinLimit } from '../content-store.js';

/** A third of the cost of the other one, which makes an object of the open file; a history is read by the thousand. */
const readFile = promisify(readWithCallback);
const INCOMING = 'incoming';
/** Older than any put may last: left by a process that was killed. */
const ABANDONED_MS = 3_600_000;

/**
 * One file per block: `<folder>/<next-to-last two characters of the CID>/<CID>`, 1024 shards at most.
 * A block is written aside, flushed, renamed and its folder flushed, so what has a name is whole, also after a power cut.
 */
export class FileContentStore extends ContentStore {
  private readonly folder: string;
  private readonly incoming: string;
  private ready: Promise<void> | null = null;

  constructor(folder: string) {
    super();
    this.folder = resolve(folder);
    this.incoming = join(this.folder, INCOMING);
  }

  override async put(bytes: Uint8Array): Promise<ContentAddress> {
    const address = addressOf(withinLimit(bytes));
    return this.engine(async () => {
      await this.prepare();
      const shard = this.shardOf(address.cid);
      if (await mkdir(shard, { recursive: true, mode: 0o700 })) await flush(this.folder);
      if (!(await holds(join(shard, address.cid), bytes))) await this.write(join(shard, address.cid), bytes);
      // Also for a block that was there: whoever renamed it may not have come to flush the folder.
      await flush(shard);
      return address;
    });
  }

  /** Each folder is flushed once, behind all that was renamed into it. */
  override async putAll(contents: readonly Uint8Array[]): Promise<ContentAddress[]> {
    const addresses = contents.map((bytes) => addressOf(withinLimit(bytes)));
    const blocks = [...new Map(addresses.map(({ cid }, i) => [cid, contents[i]!]))];
    return this.engine(async () => {
      await this.prepare();
      const shards = [...new Set(blocks.map(([cid]) => this.shardOf(cid)))];
      const made = await atOnce(shards, (shard) => mkdir(shard, { recursive: true, mode: 0o700 }));
      if (made.some((folder) => folder !== undefined)) await flush(this.folder);
      await atOnce(blocks, async ([cid, bytes]) => {
        const file = join(this.shardOf(cid), cid);
        if (!(await holds(file, bytes))) await this.write(file, bytes);
      });
      await atOnce(shards, flush);
      return addresses;
    });
  }

  override async get(cid: string): Promise<Uint8Array | null> {
    if (!isContentCid(cid)) return null;
    const bytes = await this.engine(() => readFile(join(this.shardOf(cid), cid)).catch(nullWhenAbsent));
    return bytes && verified(cid, bytes);
  }

  override check(): Promise<void> {
    return this.engine(async () => {
      await this.prepare();
      const probe = join(this.incoming, `probe-${randomUUID()}`);
      try {
        await writeFile(probe, 'ok');
      } finally {
        await rm(probe, { force: true });
      }
    });
  }

  private async write(file: string, bytes: Uint8Array): Promise<void> {
    const aside = join(this.incoming, randomUUID());
    try {
      const handle = await open(aside, 'wx', 0o600);
      try {
        await handle.writeFile(bytes);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(aside, file);
    } catch (error) {
      await rm(aside, { force: true });
      throw error;
    }
  }

  /** Makes the folders and removes what killed processes left, once; a failure is tried again by the next call. */
  private prepare(): Promise<void> {
    this.ready ??= this.makeFolders().catch((error: unknown) => {
      this.ready = null;
      throw error;
    });
    return this.ready;
  }

  private async makeFolders(): Promise<void> {
    await mkdir(this.incoming, { recursive: true, mode: 0o700 });
    await flush(this.folder);
    for (const name of await readdir(this.incoming)) {
      const file = join(this.incoming, name);
      const age = Date.now() - ((await stat(file).catch(nullWhenAbsent))?.mtimeMs ?? Date.now());
      if (age > ABANDONED_MS) await rm(file, { force: true });
    }
  }

  private shardOf(cid: string): string {
    return join(this.folder, cid.slice(-3, -1));
  }

  private async engine<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw new EngineUnavailable('content_storage', error);
    }
  }
}

/** Files at work on together. */
const AT_ONCE = 16;

async function atOnce<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const done: R[] = [];
  for (let from = 0; from < all.length; from += AT_ONCE) done.push(...(await Promise.all(all.slice(from, from + AT_ONCE).map(work))));
  return done;
}

async function holds(file: string, bytes: Uint8Array): Promise<boolean> {
  const there = await readFile(file).catch(nullWhenAbsent);
  return there !== null && there.equals(bytes);
}

function nullWhenAbsent(error: unknown): null {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
  throw error;
}

async function flush(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
