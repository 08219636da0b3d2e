import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { type ErasureEntry, ErasureLog } from './erasure-log.js';

describe('the erasure log', () => {
  const folder = mkdtempSync(join(tmpdir(), 'trace-erasures-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'inner', 'erasures.jsonl');
  const entry = (id: string): ErasureEntry => ({
    ...{ tenantId: 't', id, part: 0, erasedAt: '2026-11-30T00:00:00.000Z', erasedBy: 'u', values: 1 },
    contents: [{ cid: 'c', eventId: 'e', paths: [['metadata', 'farmers', 0, 'phone']] }],
  });

  it('is empty before the first erasure, and only grows', () => {
    const file = new ErasureLog(path);
    expect(file.read()).toEqual([]);
    file.append([entry('1')]);
    file.append([]);
    new ErasureLog(path).append([entry('2'), entry('3')]);
    expect(file.read()).toEqual([entry('1'), entry('2'), entry('3')]);
    expect(statSync(path).mode & 0o077).toBe(0);
  });

  it('leaves out a line that a crash cut off, and no other', () => {
    const file = new ErasureLog(path);
    appendFileSync(path, JSON.stringify(entry('4')).slice(0, 60));
    expect(file.read()).toHaveLength(3);
    file.append([entry('5')]);
    expect(file.read().map(({ id }) => id)).toEqual(['1', '2', '3', '5']);
    expect(readFileSync(path, 'utf8').endsWith('\n')).toBe(true);
  });

  it('knows the names of its entries, also of those that other processes add, and in a file that takes its place', () => {
    const file = new ErasureLog(path);
    expect([...file.names()]).toEqual(['1 0', '2 0', '3 0', '5 0']);
    const line = `${JSON.stringify(entry('6'))}\n`;
    appendFileSync(path, line.slice(0, 60));
    expect(file.names().size).toBe(4);
    appendFileSync(path, line.slice(60));
    expect([...file.names()].at(-1)).toBe('6 0');
    writeFileSync(path, line);
    expect([...file.names()]).toEqual(['6 0']);
    rmSync(path);
    expect([...file.names()]).toEqual([]);
  });
});
