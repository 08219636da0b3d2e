import { createHash, randomUUID } from 'node:crypto';
import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { BlockIndex, type Place } from './block-index.js';
import { nullWhenAbsent } from './file-errors.js';

const ENDING = '.pack';
/** Eight bytes before everything else; the last is the version. */
const MAGIC = Buffer.from('TRCPACK1');
const DIGEST = 32;
/** Digest, offset and length of a block. */
const ENTRY = DIGEST + 8;
/** A pack is written in one piece. */
const PACK_BYTES = 8 * 2 ** 20;
/** A change of a folder this young may have been followed by another one with the same time. */
const SETTLED_MS = 2_000;

export interface Block {
  readonly digest: Buffer;
  readonly bytes: Uint8Array;
}

/**
 * Many blocks in one file: magic, how many, where each lies, then their bytes. Making a file costs some hundred microseconds, flushing it
 * a millisecond, and whoever captures events stores thousands a second. Packs are immutable; the index of them is in memory, and packs of
 * other processes are found when something is missing.
 */
export class Packs {
  private readonly index = new BlockIndex();
  private readonly names: string[] = [];
  private readonly known = new Set<string>();
  /** Change time of the folder that is read; null when it has to be read again. */
  private readAt: number | null = null;
  private reading: Promise<void> = Promise.resolve();
  /** Asked for, and not begun: one for all who came since. */
  private next: Promise<void> | null = null;

  constructor(readonly folder: string) {}

  /** @param write puts bytes under a name, durably */
  async add(blocks: readonly Block[], write: (file: string, bytes: Buffer) => Promise<void>): Promise<void> {
    for (const some of inPacks(blocks)) {
      const name = `${randomUUID()}${ENDING}`;
      const header = headerOf(some);
      await write(join(this.folder, name), Buffer.concat([header, ...some.map(({ bytes }) => bytes)]));
      this.learn(name, header);
    }
  }

  async holds({ digest }: Block): Promise<boolean> {
    return (await this.firstWhole(digest, this.index.places(digest))) !== null;
  }

  /** Whole bytes if there are any, else damaged ones, else null. */
  async find(digest: Buffer): Promise<Buffer | null> {
    const known = this.index.places(digest);
    const whole = await this.firstWhole(digest, known);
    if (whole) return whole;
    await this.refresh();
    const all = this.index.places(digest);
    return (await this.firstWhole(digest, all.slice(0, all.length - known.length))) ?? (all[0] ? this.read(all[0]) : null);
  }

  private async firstWhole(digest: Buffer, places: readonly Place[]): Promise<Buffer | null> {
    for (const place of places) {
      const bytes = await this.read(place);
      if (bytes && isWhole(digest, bytes)) return bytes;
    }
    return null;
  }

  private read({ pack, offset, length }: Place): Promise<Buffer | null> {
    return readAt(join(this.folder, this.names[pack]!), offset, length);
  }

  /** Begins after it was asked for: one that is under way may have looked before the pack came. */
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
      if (name.endsWith(ENDING) && !this.known.has(name)) this.learn(name, await readHeader(join(this.folder, name)));
    this.readAt = Date.now() - changed > SETTLED_MS ? changed : null;
  }

  /** A pack whose head is damaged keeps nothing. */
  private learn(name: string, header: Buffer | null): void {
    if (this.known.has(name)) return;
    this.known.add(name);
    const pack = this.names.push(name) - 1;
    if (header === null) return;
    for (let at = start(0); at < header.length; at += ENTRY)
      this.index.add(header.subarray(at, at + DIGEST), {
        pack,
        offset: header.readUInt32BE(at + DIGEST),
        length: header.readUInt32BE(at + DIGEST + 4),
      });
  }
}

export const isWhole = (digest: Buffer, bytes: Uint8Array): boolean => createHash('sha256').update(bytes).digest().equals(digest);

/** Of a head with so many entries: how long it is. */
const start = (entries: number): number => MAGIC.length + 4 + entries * ENTRY;

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
  const header = Buffer.alloc(start(blocks.length));
  MAGIC.copy(header);
  header.writeUInt32BE(blocks.length, MAGIC.length);
  let offset = header.length;
  for (const [i, { digest, bytes }] of blocks.entries()) {
    const at = start(i);
    digest.copy(header, at);
    header.writeUInt32BE(offset, at + DIGEST);
    header.writeUInt32BE(bytes.length, at + DIGEST + 4);
    offset += bytes.length;
  }
  return header;
}

async function readHeader(file: string): Promise<Buffer | null> {
  const head = await readAt(file, 0, start(0));
  if (head === null || !head.subarray(0, MAGIC.length).equals(MAGIC)) return null;
  return readAt(file, 0, start(head.readUInt32BE(MAGIC.length)));
}

/** Null where the file does not have them. */
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
