import { closeSync, openSync, readSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';

const MAGIC = Buffer.from('TRB1');
/** Magic bytes, length and checksum of the record. */
const HEAD = MAGIC.length + 8;
const WINDOW = 4 * 2 ** 20;
const MAX_RECORD = 256 * 2 ** 20;

/** Bytes of a file between two readable records. */
export interface DamagedPart {
  readonly from: number;
  readonly to: number;
}

/**
 * A file of records, each with its length and a checksum. It is only appended to, and an append that fails, for instance on a full disk,
 * leaves nothing behind: the next one begins at the end of the last good record. Opening it reads every record. A torn end is cut off;
 * damage in the middle is skipped and reported.
 */
export class AppendFile {
  readonly damaged: DamagedPart[] = [];
  private end = 0;
  /** Bytes of a failed append may be after the end. */
  private dirty = false;

  private constructor(
    private readonly handle: FileHandle,
    private readonly reading: number,
  ) {}

  /** @param visit gets each record and its position; the bytes are valid only during the call */
  static async open(path: string, visit: (record: Buffer, at: number) => void, handle?: FileHandle): Promise<AppendFile> {
    await open(path, 'a').then((file) => file.close());
    const file = new AppendFile(handle ?? (await open(path, 'r+')), openSync(path, 'r'));
    const { size } = await file.handle.stat();
    file.scan(size, visit);
    file.dirty = size > file.end;
    // On failure it is tried again before the next append.
    await file.cut().catch(() => undefined);
    return file;
  }

  /** Resolves with the positions of the records when they are flushed to the disk. After an error the file is as before. */
  async append(records: readonly Buffer[]): Promise<number[]> {
    await this.cut();
    const frames = records.map(frameOf);
    const positions: number[] = [];
    let to = this.end;
    for (const frame of frames) {
      positions.push(to);
      to += frame.length;
    }
    this.dirty = true;
    try {
      await this.write(Buffer.concat(frames));
      await this.handle.datasync();
    } catch (error) {
      await this.cut().catch(() => undefined);
      throw error;
    }
    this.dirty = false;
    this.end = to;
    return positions;
  }

  /** The record at a position that `append` or `visit` gave; null when it is damaged by now. */
  read(at: number): Buffer | null {
    return recordAt((offset, length) => bytesAt(this.reading, offset, length), at);
  }

  /** The first bytes of the record, without a check of the whole. */
  peek(at: number, length: number): Buffer | null {
    return bytesAt(this.reading, at + HEAD, length);
  }

  async close(): Promise<void> {
    await this.handle.close();
    closeSync(this.reading);
  }

  private async write(bytes: Buffer): Promise<void> {
    for (let done = 0; done < bytes.length;)
      done += (await this.handle.write(bytes, done, bytes.length - done, this.end + done)).bytesWritten;
  }

  private async cut(): Promise<void> {
    if (!this.dirty) return;
    await this.handle.truncate(this.end);
    this.dirty = false;
  }

  private scan(size: number, visit: (record: Buffer, at: number) => void): void {
    const window = new ReadWindow(this.reading);
    for (let at = 0; at < size;) {
      const record = recordAt(window.read, at);
      if (record) {
        visit(record, at);
        at += HEAD + record.length;
        this.end = at;
        continue;
      }
      const next = nextRecord(window, at + 1, size);
      if (next === null) return;
      this.damaged.push({ from: at, to: next });
      at = next;
    }
  }
}

type Read = (offset: number, length: number) => Buffer | null;

/** Null when the record there is incomplete or does not have its checksum. */
function recordAt(read: Read, at: number): Buffer | null {
  const head = read(at, HEAD);
  if (!head || !head.subarray(0, MAGIC.length).equals(MAGIC)) return null;
  const length = head.readUInt32BE(MAGIC.length);
  const checksum = head.readUInt32BE(MAGIC.length + 4);
  if (length === 0 || length > MAX_RECORD) return null;
  const record = read(at + HEAD, length);
  return record && crc32(record) === checksum ? record : null;
}

function nextRecord(window: ReadWindow, from: number, size: number): number | null {
  for (let at = from; at + HEAD <= size; at += WINDOW / 2) {
    // Overlapping by the magic bytes, so that none is missed between two parts.
    const part = window.read(at, Math.min(WINDOW / 2 + MAGIC.length, size - at))!;
    for (let found = part.indexOf(MAGIC); found >= 0; found = part.indexOf(MAGIC, found + 1))
      // With a window of its own: this one's bytes must stay.
      if (recordAt((offset, length) => bytesAt(window.fd, offset, length), at + found)) return at + found;
  }
  return null;
}

function frameOf(record: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(HEAD + record.length);
  MAGIC.copy(frame);
  frame.writeUInt32BE(record.length, MAGIC.length);
  frame.writeUInt32BE(crc32(record), MAGIC.length + 4);
  record.copy(frame, HEAD);
  return frame;
}

/** Null when the file ends before. */
export function bytesAt(fd: number, offset: number, length: number): Buffer | null {
  const bytes = Buffer.allocUnsafe(length);
  for (let done = 0; done < length;) {
    const read = readSync(fd, bytes, done, length - done, offset + done);
    if (read === 0) return null;
    done += read;
  }
  return bytes;
}

/** Reads a file from front to back in large parts. The bytes of a read are valid until the next one. */
export class ReadWindow {
  private bytes: Buffer = Buffer.alloc(0);
  private scratch = Buffer.allocUnsafe(WINDOW);
  private from = 0;

  constructor(readonly fd: number) {}

  readonly read: Read = (offset, length) => {
    if (offset < this.from || offset + length > this.from + this.bytes.length) this.fill(offset, length);
    return offset + length > this.from + this.bytes.length ? null : this.bytes.subarray(offset - this.from, offset - this.from + length);
  };

  private fill(offset: number, length: number): void {
    if (length > this.scratch.length) this.scratch = Buffer.allocUnsafe(length);
    this.from = offset;
    let done = 0;
    for (let read = -1; read !== 0 && done < this.scratch.length; done += read)
      read = readSync(this.fd, this.scratch, done, this.scratch.length - done, offset + done);
    this.bytes = this.scratch.subarray(0, done);
  }
}

/** Replaces a file atomically: after a kill at any moment, and on a full disk, it has the old content or the new one. */
export async function replaceFile(path: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${path}.new`;
  try {
    const file = await open(temporary, 'w');
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    // On a full disk its bytes are needed.
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Makes a rename durable by flushing its folder. Windows has no such call and needs none. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder: FileHandle = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
