import { createHash, randomUUID } from 'node:crypto';
import { open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const ENDING = '.pack';
/** The first eight bytes of a pack; the last of them is the version. */
const MAGIC = Buffer.from('TRCPACK1');
const DIGEST = 32;
/** Digest, offset and length of a block. */
const ENTRY = DIGEST + 8;
/** Maximum size of a pack, which is written at once. */
const PACK_BYTES = 8 * 2 ** 20;
/** A more recent change of a folder may be followed by another one with the same timestamp. */
const SETTLED_MS = 2_000;

export interface Block {
  readonly digest: Buffer;
  readonly bytes: Uint8Array;
}

/**
 * Many blocks in one file: magic bytes, number of blocks, position of each, then their bytes. To create a file takes about a hundred
 * microseconds and to flush it a millisecond, and a capture of events stores thousands of blocks a second. Packs are immutable. Their index
 * is in memory; packs of other processes are read when a block is missing.
 */
export class Packs {
  private readonly index = new BlockIndex();
  private readonly names: string[] = [];
  private readonly known = new Set<string>();
  /** Change time of the folder when it was read; null when it has to be read again. */
  private readAt: number | null = null;
  private reading: Promise<void> = Promise.resolve();
  /** The next read, requested but not started: shared by all callers since. */
  private next: Promise<void> | null = null;

  constructor(readonly folder: string) {}

  /** @param write stores bytes in a file durably */
  async add(blocks: readonly Block[], write: (file: string, bytes: Buffer) => Promise<void>): Promise<void> {
    for (const some of inPacks(blocks)) {
      const name = `${randomUUID()}${ENDING}`;
      const header = headerOf(some);
      await write(join(this.folder, name), Buffer.concat([header, ...some.map(({ bytes }) => bytes)]));
      this.register(name, header);
    }
  }

  /**
   * A pack is not changed: what is left of it is written as another one before it is deleted. Readers that know the old one find nothing there
   * and read the folder again.
   */
  async remove(digests: readonly Buffer[], write: (file: string, bytes: Buffer) => Promise<void>): Promise<void> {
    await this.refresh();
    const gone = new Set(digests.map((digest) => digest.toString('hex')));
    const packs = new Set(digests.flatMap((digest) => this.index.places(digest).map(({ pack }) => pack)));
    for (const pack of packs) {
      const file = join(this.folder, this.names[pack]!);
      const blocks = await readBlocks(file);
      const rest = blocks?.filter(({ digest }) => !gone.has(digest.toString('hex')));
      if (!blocks || !rest || rest.length === blocks.length) continue;
      await this.add(rest, write);
      await rm(file, { force: true });
    }
  }

  async holds({ digest }: Block): Promise<boolean> {
    return (await this.firstIntact(digest, this.index.places(digest))) !== null;
  }

  /** Intact bytes if there are any, else damaged ones, else null. */
  async find(digest: Buffer): Promise<Buffer | null> {
    const known = this.index.places(digest);
    const intact = await this.firstIntact(digest, known);
    if (intact) return intact;
    await this.refresh();
    const all = this.index.places(digest);
    return (await this.firstIntact(digest, all.slice(0, all.length - known.length))) ?? (all[0] ? this.read(all[0]) : null);
  }

  private async firstIntact(digest: Buffer, places: readonly Place[]): Promise<Buffer | null> {
    for (const place of places) {
      const bytes = await this.read(place);
      if (bytes && isIntact(digest, bytes)) return bytes;
    }
    return null;
  }

  private read({ pack, offset, length }: Place): Promise<Buffer | null> {
    return readAt(join(this.folder, this.names[pack]!), offset, length);
  }

  /** Always starts a new read: one that is already running may have listed the folder before the pack was written. */
  private refresh(): Promise<void> {
    this.next ??= this.reading
      .catch(() => undefined)
      .then(() => {
        this.next = null;
        this.reading = this.readFolder();
        return this.reading;
      });
    return this.next;
  }

  private async readFolder(): Promise<void> {
    const changed = (await stat(this.folder).catch(nullWhenAbsent))?.mtimeMs ?? null;
    if (changed === null || changed === this.readAt) return;
    const names = await readdir(this.folder);
    for (const name of names)
      if (name.endsWith(ENDING) && !this.known.has(name)) this.register(name, await readHeader(join(this.folder, name)));
    this.readAt = Date.now() - changed > SETTLED_MS ? changed : null;
  }

  /** A pack with a damaged header is ignored. */
  private register(name: string, header: Buffer | null): void {
    if (this.known.has(name)) return;
    this.known.add(name);
    const pack = this.names.push(name) - 1;
    if (header === null) return;
    for (let at = headerLength(0); at < header.length; at += ENTRY)
      this.index.add(header.subarray(at, at + DIGEST), {
        pack,
        offset: header.readUInt32BE(at + DIGEST),
        length: header.readUInt32BE(at + DIGEST + 4),
      });
  }
}

export function nullWhenAbsent(error: unknown): null {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
  throw error;
}

export const isIntact = (digest: Buffer, bytes: Uint8Array): boolean => createHash('sha256').update(bytes).digest().equals(digest);

/** Length of a header with this many entries. */
const headerLength = (entries: number): number => MAGIC.length + 4 + entries * ENTRY;

function* inPacks(blocks: readonly Block[]): Generator<readonly Block[]> {
  let some: Block[] = [];
  let size = 0;
  for (const block of blocks) {
    if (some.length > 0 && size + block.bytes.length > PACK_BYTES) {
      yield some;
      [some, size] = [[], 0];
    }
    some.push(block);
    size += block.bytes.length;
  }
  if (some.length > 0) yield some;
}

function headerOf(blocks: readonly Block[]): Buffer {
  const header = Buffer.alloc(headerLength(blocks.length));
  MAGIC.copy(header);
  header.writeUInt32BE(blocks.length, MAGIC.length);
  let offset = header.length;
  for (const [i, { digest, bytes }] of blocks.entries()) {
    const at = headerLength(i);
    digest.copy(header, at);
    header.writeUInt32BE(offset, at + DIGEST);
    header.writeUInt32BE(bytes.length, at + DIGEST + 4);
    offset += bytes.length;
  }
  return header;
}

async function readHeader(file: string): Promise<Buffer | null> {
  const head = await readAt(file, 0, headerLength(0));
  if (head === null || !head.subarray(0, MAGIC.length).equals(MAGIC)) return null;
  return readAt(file, 0, headerLength(head.readUInt32BE(MAGIC.length)));
}

/** Every block that is there whole; null when the file or its header is not. */
async function readBlocks(file: string): Promise<Block[] | null> {
  const header = await readHeader(file);
  if (header === null) return null;
  const blocks: Block[] = [];
  for (let at = headerLength(0); at < header.length; at += ENTRY) {
    const bytes = await readAt(file, header.readUInt32BE(at + DIGEST), header.readUInt32BE(at + DIGEST + 4));
    if (bytes) blocks.push({ digest: header.subarray(at, at + DIGEST), bytes });
  }
  return blocks;
}

/** Null when the file is missing or shorter. */
async function readAt(file: string, offset: number, length: number): Promise<Buffer | null> {
  const handle = await open(file, 'r').catch(nullWhenAbsent);
  if (handle === null) return null;
  try {
    if (offset + length > (await handle.stat()).size) return null;
    const bytes = Buffer.alloc(length);
    let read = 0;
    while (read < length) {
      const { bytesRead } = await handle.read(bytes, read, length - read, offset + read);
      if (bytesRead === 0) return null;
      read += bytesRead;
    }
    return bytes;
  } finally {
    await handle.close();
  }
}

/** Position of a block in a pack. */
export interface Place {
  readonly pack: number;
  readonly offset: number;
  readonly length: number;
}

const FIRST_SLOTS = 4096;
/** 48 bits of a digest fit into a number. If two blocks have the same ones, the index returns one position too many. */
const PREFIX_BYTES = 6;

/**
 * Positions of blocks by digest, 20 bytes per slot, about 40 MB for a million: an open-addressing hash table in typed arrays, because a Map
 * of strings needs five times as much. Digests are evenly distributed, so they need no hash function.
 */
export class BlockIndex {
  private count = 0;
  private slots = new Slots(FIRST_SLOTS);

  add(digest: Buffer, place: Place): void {
    // Above two thirds, the search for a missing block takes too long.
    if (3 * (this.count + 1) > 2 * this.slots.size) this.grow();
    this.slots.put(digest.readUIntBE(0, PREFIX_BYTES), place);
    this.count++;
  }

  /** Newest first: a block may have been stored again because the older copy was damaged. */
  places(digest: Buffer): Place[] {
    return this.slots.all(digest.readUIntBE(0, PREFIX_BYTES)).toReversed();
  }

  private grow(): void {
    const larger = new Slots(2 * this.slots.size);
    this.slots.each((prefix, place) => larger.put(prefix, place));
    this.slots = larger;
  }
}

class Slots {
  private readonly prefixes: Float64Array;
  /** Numbers from 1; 0 is an empty slot. */
  private readonly packs: Uint32Array;
  private readonly offsets: Uint32Array;
  private readonly lengths: Uint32Array;

  /** @param size a power of two */
  constructor(readonly size: number) {
    this.prefixes = new Float64Array(size);
    this.packs = new Uint32Array(size);
    this.offsets = new Uint32Array(size);
    this.lengths = new Uint32Array(size);
  }

  put(prefix: number, { pack, offset, length }: Place): void {
    let slot = prefix % this.size;
    while (this.packs[slot] !== 0) slot = (slot + 1) % this.size;
    this.prefixes[slot] = prefix;
    this.packs[slot] = pack + 1;
    this.offsets[slot] = offset;
    this.lengths[slot] = length;
  }

  all(prefix: number): Place[] {
    const places: Place[] = [];
    for (let slot = prefix % this.size; this.packs[slot] !== 0; slot = (slot + 1) % this.size)
      if (this.prefixes[slot] === prefix) places.push(this.at(slot));
    return places;
  }

  /** Starts at an empty slot and wraps around, so that the places of one digest keep their order. */
  each(visit: (prefix: number, place: Place) => void): void {
    const start = this.packs.indexOf(0);
    for (let i = 0; i < this.size; i++) {
      const slot = (start + i) % this.size;
      if (this.packs[slot] !== 0) visit(this.prefixes[slot]!, this.at(slot));
    }
  }

  private at(slot: number): Place {
    return { pack: this.packs[slot]! - 1, offset: this.offsets[slot]!, length: this.lengths[slot]! };
  }
}
