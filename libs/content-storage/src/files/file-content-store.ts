import { randomUUID } from 'node:crypto';
import { readFile as readWithCallback } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { EngineUnavailable } from '#kernel';
import { addressOf, type ContentAddress, ContentStore, digestOfCid, isContentCid, verified, withinLimit } from '../content-store.js';
import { nullWhenAbsent } from './file-errors.js';
import { type Block, Packs, isWhole } from './packs.js';
import { ReadingThread } from './reading-thread.js';

/** A third of the cost of the other one, which makes an object of the open file; a history is read by the thousand. */
const readFile = promisify(readWithCallback);
const INCOMING = 'incoming';
const PACKS = 'packs';
/** So many blocks at once are one file. */
const PACK_FROM = 16;
/** Older than any put may last: left by a process that was killed. */
const ABANDONED_MS = 3_600_000;
/** From so many blocks asked for in one turn on they are read by a thread: fewer are not worth a message. */
const MANY = 8;

interface Waiting {
  readonly cid: string;
  readonly resolve: (bytes: Uint8Array | null | Promise<Uint8Array | null>) => void;
}

/**
 * One file per block: `<folder>/<next-to-last two characters of the CID>/<CID>`, 1024 shards at most; many blocks at once are one file in
 * `<folder>/packs`. Each is written aside, flushed, renamed and its folder flushed, so what has a name is whole, also after a power cut.
 */
export class FileContentStore extends ContentStore {
  private readonly folder: string;
  private readonly incoming: string;
  private readonly packs: Packs;
  private readonly thread = new ReadingThread();
  /** Asked for in this turn. */
  private waiting: Waiting[] = [];
  private ready: Promise<void> | null = null;

  constructor(folder: string) {
    super();
    this.folder = resolve(folder);
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
      // Also for a block that was there: whoever renamed it may not have come to flush the folder.
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

  /** From wherever it lies whole. */
  override get(cid: string): Promise<Uint8Array | null> {
    if (!isContentCid(cid)) return Promise.resolve(null);
    return new Promise((resolve) => {
      if (this.waiting.push({ cid, resolve }) === 1) setImmediate(() => this.readWaiting());
    });
  }

  /** What the thread does not find whole, and all when it was lost, is looked for here, with everything there is to say about it. */
  private readWaiting(): void {
    const all = this.waiting;
    this.waiting = [];
    const here = ({ cid, resolve }: Waiting): void => resolve(this.getHere(cid));
    if (all.length < MANY) return all.forEach(here);
    this.thread.read(all.map(({ cid }) => ({ file: this.fileOf(cid), digest: digestOfCid(cid).toString('hex') }))).then(
      (blocks) => all.forEach((one, i) => (blocks[i] ? one.resolve(blocks[i]) : here(one))),
      () => all.forEach(here),
    );
  }

  private async getHere(cid: string): Promise<Uint8Array | null> {
    const digest = digestOfCid(cid);
    const own = await this.engine(() => readFile(this.fileOf(cid)).catch(nullWhenAbsent));
    // Looked at once: a history is read by the thousand.
    if (own && isWhole(digest, own)) return own;
    const found = (await this.engine(() => this.packs.find(digest))) ?? own;
    return found && verified(cid, found);
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
  const there = await readFile(file).catch(nullWhenAbsent);
  return there !== null && there.equals(bytes);
}

async function flush(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
