import { randomUUID } from 'node:crypto';
import { existsSync, readFile as readWithCallback } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve as resolvePath } from 'node:path';
import { promisify } from 'node:util';
import { EngineUnavailable } from '#kernel';
import { addressOf, type ContentAddress, ContentStore, digestOfCid, isContentCid, verified, withinLimit } from '../content-store.js';
import { BlockReader } from './block-reader.js';
import { type Block, Packs, isIntact, nullWhenAbsent } from './packs.js';

/** Three times as fast as the promise version, which creates a file handle; a backfill reads thousands of files. */
const readFile = promisify(readWithCallback);
const INCOMING = 'incoming';
const PACKS = 'packs';
/** From this number on, blocks are stored together in one file. */
const PACK_FROM = 16;
/** Older temporary files were left by a process that was killed: no write takes this long. */
const ABANDONED_MS = 3_600_000;
/** From this number on, blocks requested in one tick of the event loop are read by a thread. */
const THREAD_FROM = 8;

interface PendingGet {
  readonly cid: string;
  readonly resolve: (bytes: Uint8Array | null | Promise<Uint8Array | null>) => void;
}

/**
 * One file per block: `<folder>/<next-to-last two characters of the CID>/<CID>`, at most 1024 folders. Many blocks at once are one file in
 * `<folder>/packs`. A file is written under a temporary name, flushed and renamed, and its folder is flushed: a file with its final name is
 * complete, also after a power failure.
 */
export class FileContentStore extends ContentStore {
  private readonly folder: string;
  private readonly incoming: string;
  private readonly packs: Packs;
  private readonly reader = new BlockReader();
  /** Requested in this tick of the event loop. */
  private pending: PendingGet[] = [];
  private ready: Promise<void> | null = null;

  constructor(folder: string) {
    super();
    this.folder = resolvePath(folder);
    this.incoming = join(this.folder, INCOMING);
    this.packs = new Packs(join(this.folder, PACKS));
  }

  override async put(bytes: Uint8Array): Promise<ContentAddress> {
    const address = addressOf(withinLimit(bytes));
    return this.engine(async () => {
      await this.prepare();
      const shard = this.shardOf(address.cid);
      if (await mkdir(shard, { recursive: true, mode: 0o700 })) await flush(this.folder);
      if (!(await holds(join(shard, address.cid), bytes))) await this.write(join(shard, address.cid), bytes);
      // Also for an existing block: the process that renamed it may not have flushed the folder.
      await flush(shard);
      return address;
    });
  }

  override async putAll(contents: readonly Uint8Array[]): Promise<ContentAddress[]> {
    if (contents.length < PACK_FROM) return super.putAll(contents);
    const addresses = contents.map((bytes) => addressOf(withinLimit(bytes)));
    const blocks = new Map(
      addresses.map(({ cid, dataHash }, i) => [cid, { digest: Buffer.from(dataHash.slice(2), 'hex'), bytes: contents[i]! }]),
    );
    return this.engine(async () => {
      await this.prepare();
      const missing: Block[] = [];
      for (const block of blocks.values()) if (!(await this.packs.holds(block))) missing.push(block);
      await this.packs.add(missing, (file, bytes) => this.write(file, bytes));
      await flush(this.packs.folder);
      return addresses;
    });
  }

  /** From any place that has intact bytes. */
  override get(cid: string): Promise<Uint8Array | null> {
    if (!isContentCid(cid)) return Promise.resolve(null);
    return new Promise((resolve) => {
      if (this.pending.push({ cid, resolve }) === 1) setImmediate(() => this.readPending());
    });
  }

  /** Blocks that the thread does not find intact, and all of them when the thread failed, are read here, with exact errors. */
  private readPending(): void {
    const all = this.pending;
    this.pending = [];
    const here = ({ cid, resolve }: PendingGet): void => resolve(this.getHere(cid));
    if (all.length < THREAD_FROM) return all.forEach(here);
    const files = all.map(({ cid }) => ({ file: this.fileOf(cid), digest: digestOfCid(cid).toString('hex') }));
    void this.reader
      .read(files)
      .catch((): readonly null[] => [])
      .then((blocks) => all.forEach((one, i) => (blocks[i] ? one.resolve(blocks[i]) : here(one))));
  }

  private async getHere(cid: string): Promise<Uint8Array | null> {
    const digest = digestOfCid(cid);
    const own = await this.engine(() => readFile(this.fileOf(cid)).catch(nullWhenAbsent));
    // The common case first, verified only once: a backfill reads thousands of blocks.
    if (own && isIntact(digest, own)) return own;
    const bytes = (await this.engine(() => this.packs.find(digest))) ?? own;
    return bytes && verified(cid, bytes);
  }

  override async delete(cids: readonly string[]): Promise<void> {
    const ours = cids.filter(isContentCid);
    await this.engine(async () => {
      await this.prepare();
      const shards = new Set(ours.map((cid) => this.shardOf(cid)));
      await Promise.all(ours.map((cid) => rm(this.fileOf(cid), { force: true })));
      await this.packs.remove(ours.map(digestOfCid), (file, bytes) => this.write(file, bytes));
      for (const folder of [this.packs.folder, ...shards]) if (existsSync(folder)) await flush(folder);
    });
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
    const temporary = join(this.incoming, randomUUID());
    try {
      const handle = await open(temporary, 'wx', 0o600);
      try {
        await handle.writeFile(bytes);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(temporary, file);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  /** Creates the folders and removes files of killed processes, once. After a failure the next call tries again. */
  private prepare(): Promise<void> {
    this.ready ??= this.makeFolders().catch((error: unknown) => {
      this.ready = null;
      throw error;
    });
    return this.ready;
  }

  private async makeFolders(): Promise<void> {
    for (const folder of [this.incoming, this.packs.folder]) await mkdir(folder, { recursive: true, mode: 0o700 });
    await flush(this.folder);
    for (const name of await readdir(this.incoming)) {
      const file = join(this.incoming, name);
      const age = Date.now() - ((await stat(file).catch(nullWhenAbsent))?.mtimeMs ?? Date.now());
      if (age > ABANDONED_MS) await rm(file, { force: true });
    }
  }

  private fileOf(cid: string): string {
    return join(this.shardOf(cid), cid);
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

async function holds(file: string, bytes: Uint8Array): Promise<boolean> {
  const stored = await readFile(file).catch(nullWhenAbsent);
  return stored !== null && stored.equals(bytes);
}

async function flush(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
