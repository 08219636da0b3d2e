import { closeSync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { bytesAt, ReadWindow } from './append-file.js';

/** What a table knows of an account, one entry each. */
export const FIELDS = { balance: 0, nonce: 1, code: 2, slot: 3 } as const;
export type Field = keyof typeof FIELDS;

const KEY = 20 + 1 + 32;
const ENTRY = KEY + 32;
const MAGIC = Buffer.from('TRSTATE1');
/** Magic bytes, number of entries, length of the codes, checksum of everything after this head. */
const HEAD = MAGIC.length + 12;
const NO_SLOT = '0'.repeat(64);

export interface Account {
  readonly nonce: number | string;
  readonly balance: string;
  readonly code: string;
  readonly storage: Readonly<Record<string, string>>;
}

/** One entry: key and value. */
export type Entry = Buffer;

/** Bytes of a key: address, field and, for storage, the slot. All in hex without 0x. */
export const keyOf = (address: string, field: Field, slot = NO_SLOT): Buffer =>
  Buffer.from(address + FIELDS[field].toString(16).padStart(2, '0') + slot, 'hex');

/**
 * An immutable file of the values of accounts, sorted by key, so that a value is found without reading the file. The codes of contracts,
 * of which there are few, are in memory.
 */
export class StateTable {
  private constructor(
    readonly file: string,
    private readonly fd: number,
    readonly count: number,
    readonly codes: Readonly<Record<string, string>>,
  ) {}

  /** Null when the file is missing or damaged. */
  static open(file: string): StateTable | null {
    let fd: number | null = null;
    try {
      fd = openSync(file, 'r');
      const head = bytesAt(fd, 0, HEAD);
      if (!head || !head.subarray(0, MAGIC.length).equals(MAGIC)) return unusable(fd);
      const [count, codesLength, checksum] = [0, 4, 8].map((at) => head.readUInt32BE(MAGIC.length + at)) as [number, number, number];
      const codes = codesIn(fd, count, codesLength, checksum);
      return codes === null ? unusable(fd) : new StateTable(file, fd, count, codes);
    } catch (error) {
      if (fd !== null) closeSync(fd);
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }

  find(key: Buffer): Buffer | null {
    for (let low = 0, high = this.count - 1; low <= high;) {
      const middle = (low + high) >>> 1;
      const entry = bytesAt(this.fd, HEAD + middle * ENTRY, ENTRY)!;
      const order = Buffer.compare(entry.subarray(0, KEY), key);
      if (order === 0) return entry.subarray(KEY);
      if (order < 0) low = middle + 1;
      else high = middle - 1;
    }
    return null;
  }

  *entries(): Generator<Entry> {
    const window = new ReadWindow(this.fd);
    for (let i = 0; i < this.count; i++) yield window.read(HEAD + i * ENTRY, ENTRY)!;
  }

  close(): void {
    closeSync(this.fd);
  }
}

function unusable(fd: number): null {
  closeSync(fd);
  return null;
}

/** The codes at the end of the file, if its checksum is right. */
function codesIn(fd: number, count: number, length: number, checksum: number): Record<string, string> | null {
  const window = new ReadWindow(fd);
  const end = HEAD + count * ENTRY + length;
  let sum = 0;
  for (let at = HEAD; at < end; at += PART) {
    const part = window.read(at, Math.min(PART, end - at));
    if (!part) return null;
    sum = crc32(part, sum);
  }
  return sum === checksum ? (JSON.parse(bytesAt(fd, end - length, length)!.toString()) as Record<string, string>) : null;
}

const PART = 2 ** 20;
const BATCH = 10_000;

/** Writes a table and flushes it; a failure leaves an incomplete file, which no manifest names. @param entries sorted, without duplicates */
export async function writeTable(file: string, entries: Iterable<Entry>, codes: Readonly<Record<string, string>>): Promise<void> {
  const handle = await open(file, 'w');
  try {
    const head = Buffer.alloc(HEAD);
    let [count, sum, at] = [0, 0, HEAD];
    const write = async (bytes: Buffer): Promise<void> => {
      sum = crc32(bytes, sum);
      for (let done = 0; done < bytes.length;) done += (await handle.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
      at += bytes.length;
    };
    let batch: Buffer[] = [];
    for (const entry of entries) {
      count++;
      // Copied: the entry of another table is valid only until the next one.
      if (batch.push(Buffer.from(entry)) < BATCH) continue;
      await write(Buffer.concat(batch));
      batch = [];
    }
    const tail = Buffer.from(JSON.stringify(codes));
    await write(Buffer.concat([...batch, tail]));
    MAGIC.copy(head);
    [count, tail.length, sum].forEach((value, i) => head.writeUInt32BE(value, MAGIC.length + 4 * i));
    await handle.write(head, 0, HEAD, 0);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Entries of both; where both have a key, that of the newer one. */
export function* merged(older: Iterable<Entry>, newer: Iterable<Entry>): Generator<Entry> {
  const [a, b] = [older[Symbol.iterator](), newer[Symbol.iterator]()];
  let [left, right] = [a.next(), b.next()];
  while (!left.done || !right.done) {
    const order = left.done ? 1 : right.done ? -1 : Buffer.compare(left.value.subarray(0, KEY), right.value.subarray(0, KEY));
    if (order < 0) yield left.value as Entry;
    else yield right.value as Entry;
    if (order <= 0) left = a.next();
    if (order >= 0) right = b.next();
  }
}
