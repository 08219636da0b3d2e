import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DataFolder } from './data-folder.js';

describe('the data folder', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'trace-folder-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it('is held by one service and free again after it', () => {
    const first = DataFolder.take(dir);
    expect(() => DataFolder.take(dir)).toThrow(/Another traceability service \(process \d+\)/);
    expect(DataFolder.holder(dir)).toBe(process.pid);
    first.release();
    DataFolder.take(dir).release();
    expect(DataFolder.holder(dir)).toBeNull();
  });

  it('is taken over from a service that crashed', () => {
    const { pid } = spawnSync('true');
    writeFileSync(join(dir, 'service.lock'), JSON.stringify({ pid, started: '1' }));
    DataFolder.take(dir).release();
  });

  it('is taken over when the number of the crashed process was given to another', () => {
    writeFileSync(join(dir, 'service.lock'), JSON.stringify({ pid: process.pid, started: '1' }));
    DataFolder.take(dir).release();
  });

  it('is taken over when the machine died while the lock was written', () => {
    writeFileSync(join(dir, 'service.lock'), '');
    DataFolder.take(dir).release();
  });

  it('says in one sentence that it cannot be made', () => {
    const link = join(dir, 'link');
    symlinkSync(join(dir, 'nowhere'), link);
    expect(() => DataFolder.take(link)).toThrow(/cannot be written\. Change its rights/);
  });

  it('says in one sentence that it is a file', () => {
    const file = join(dir, 'file');
    writeFileSync(file, '');
    expect(() => DataFolder.take(file)).toThrow(/is a file/);
    expect(() => DataFolder.take(join(file, 'below'))).toThrow(/is a file/);
  });
});
