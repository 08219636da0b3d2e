import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppendFile, replaceFile } from './append-file.js';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'append-file-'));
  path = join(folder, 'log');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const records = ['first', 'the second', 'third, longer than the others', 'TRB1 looks like a head', 'last'].map((text) => Buffer.from(text));

async function read(handle?: FileHandle): Promise<{ file: AppendFile; found: string[] }> {
  const found: string[] = [];
  const file = await AppendFile.open(path, (record) => found.push(record.toString()), handle);
  return { file, found };
}

async function written(): Promise<Buffer> {
  const { file } = await read();
  for (const record of records) await file.append([record]);
  await file.close();
  return readFileSync(path);
}

const texts = records.map(String);

describe('a file of records', () => {
  it('gives back what was appended, in order and by position', async () => {
    const { file } = await read();
    const positions = [...(await file.append(records.slice(0, 2))), ...(await file.append(records.slice(2)))];
    expect(positions.map((at) => file.read(at)!.toString())).toEqual(texts);
    await file.close();
    const again = await read();
    expect(again.found).toEqual(texts);
    await again.file.close();
  });

  it('cut at any byte, it has the records before the cut and takes further ones', async () => {
    const bytes = await written();
    for (let length = 0; length < bytes.length; length++) {
      writeFileSync(path, bytes.subarray(0, length));
      const { file, found } = await read();
      expect(found).toEqual(texts.slice(0, found.length));
      expect(file.damaged).toEqual([]);
      await file.append([Buffer.from('new')]);
      await file.close();
      const again = await read();
      expect(again.found).toEqual([...found, 'new']);
      await again.file.close();
    }
  });

  it('with any byte changed, it misses only the record of that byte', async () => {
    const bytes = await written();
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1 << (at % 8);
      writeFileSync(path, changed);
      const { file, found } = await read();
      expect(found).toHaveLength(texts.length - 1);
      expect(texts).toEqual(expect.arrayContaining(found));
      await file.close();
    }
  });

  it('with a part of zeros or noise in the middle or at the end, it has the records around it', async () => {
    const bytes = await written();
    for (const noise of [Buffer.alloc(70_000), randomBytes(70_000)]) {
      writeFileSync(path, Buffer.concat([bytes, noise, bytes, noise]));
      const { file, found } = await read();
      expect(found).toEqual([...texts, ...texts]);
      expect(file.damaged).toEqual([{ from: bytes.length, to: bytes.length + noise.length }]);
      await file.close();
    }
  });

  it('a disk that is full after any byte of an append leaves the file as before', async () => {
    const size = (await written()).length;
    for (let room = 0; room < 40; room++) {
      const before = readFileSync(path);
      const disk = fullAfter(await open(path, 'r+'), size, room);
      const { file, found } = await read(disk.handle);
      await expect(file.append([Buffer.from('0123456789'), Buffer.from('abcdefghij')])).rejects.toThrow('ENOSPC');
      expect(readFileSync(path)).toEqual(before);
      expect(found).toEqual(texts);
      disk.free();
      await file.append([Buffer.from('after')]);
      await file.close();
      const again = await read();
      expect(again.found).toEqual([...texts, 'after']);
      await again.file.close();
      writeFileSync(path, before);
    }
  });

  it('when not even cutting is possible at once, it is cut before the next append', async () => {
    const size = (await written()).length;
    const disk = fullAfter(await open(path, 'r+'), size, 7, { cuts: false });
    const { file } = await read(disk.handle);
    await expect(file.append([Buffer.from('0123456789')])).rejects.toThrow('ENOSPC');
    await expect(file.append([Buffer.from('0123456789')])).rejects.toThrow('EIO');
    disk.free();
    await file.append([Buffer.from('after')]);
    await file.close();
    const again = await read();
    expect(again.found).toEqual([...texts, 'after']);
    expect(again.file.damaged).toEqual([]);
    await again.file.close();
  });
});

describe('replacing a file', () => {
  it('keeps the old content and removes its temporary file when it fails', async () => {
    await replaceFile(path, 'old');
    await expect(replaceFile(join(path, 'below-a-file'), 'new')).rejects.toThrow();
    await expect(replaceFile(path, { not: 'writable' } as never)).rejects.toThrow();
    expect(readFileSync(path, 'utf8')).toBe('old');
    await expect(open(`${path}.new`)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('writes over a temporary file that was left behind', async () => {
    writeFileSync(`${path}.new`, 'half of some');
    await replaceFile(path, 'whole');
    expect(readFileSync(path, 'utf8')).toBe('whole');
  });
});

/** The real file, on a disk that has room for `room` more bytes until it is freed. */
function fullAfter(real: FileHandle, size: number, room: number, { cuts = true } = {}): { handle: FileHandle; free: () => void } {
  let full = true;
  const failing: Partial<Record<keyof FileHandle, unknown>> = {
    write: async (bytes: Buffer, offset: number, length: number, position: number) => {
      const fits = full ? Math.min(length, size + room - position) : length;
      if (fits <= 0) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC', syscall: 'write' });
      return real.write(bytes, offset, fits, position);
    },
    truncate: async (length: number) => {
      if (full && !cuts) throw new Error('EIO: input/output error');
      await real.truncate(length);
    },
  };
  const handle = new Proxy(real, {
    get: (target, name: keyof FileHandle) => failing[name] ?? (target[name] as () => unknown).bind(target),
  });
  return { handle, free: () => (full = false) };
}
