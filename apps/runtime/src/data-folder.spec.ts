import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Config, SecretsConfig } from '#config';
import { DataFolder, replaceSecretFile } from './data-folder.js';
import { withSecrets } from './secrets.js';

describe('the data folder', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'trace-folder-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it('is locked by one service, and free after it', () => {
    const first = DataFolder.take(dir);
    expect(() => DataFolder.take(dir)).toThrow(/Another traceability service \(process \d+\)/);
    expect(DataFolder.holder(dir)).toBe(process.pid);
    first.release();
    DataFolder.take(dir).release();
    expect(DataFolder.holder(dir)).toBeNull();
  });

  it('that was copied while a service used it says so, and by another path it is the same folder', () => {
    const [used, copy, link] = ['used', 'copy', 'link'].map((name) => join(dir, name)) as [string, string, string];
    const first = DataFolder.take(used);
    cpSync(used, copy, { recursive: true });
    expect(() => DataFolder.take(copy)).toThrow(/copy is a copy of .*used, made while the service there \(process \d+\) was running/);
    symlinkSync(used, link);
    expect(() => DataFolder.take(link)).toThrow(/Another traceability service \(process \d+\) is using .*link\./);
    first.release();
  });

  it('is taken over from a service that crashed', () => {
    const { pid } = spawnSync('true');
    writeFileSync(join(dir, 'service.lock'), JSON.stringify({ pid, started: '1' }));
    expect(() => DataFolder.take(dir).release()).not.toThrow();
  });

  it('is taken over when another process got the number of the crashed one', () => {
    writeFileSync(join(dir, 'service.lock'), JSON.stringify({ pid: process.pid, started: '1' }));
    expect(() => DataFolder.take(dir).release()).not.toThrow();
  });

  it('is taken over when the machine crashed while the lock was written', () => {
    writeFileSync(join(dir, 'service.lock'), '');
    expect(() => DataFolder.take(dir).release()).not.toThrow();
  });

  it('says in one message that it cannot be created', () => {
    const link = join(dir, 'link');
    symlinkSync(join(dir, 'nowhere'), link);
    expect(() => DataFolder.take(link)).toThrow(/cannot be written\. Change its rights/);
  });

  (process.platform === 'linux' ? it : it.skip)('says so, too, where nothing can ever be created', () => {
    expect(() => DataFolder.take('/proc/trace/data')).toThrow(/cannot be written\. Change its rights/);
  });

  it('says in one message that it is a file', () => {
    const file = join(dir, 'file');
    writeFileSync(file, '');
    expect(() => DataFolder.take(file)).toThrow(/is a file/);
    expect(() => DataFolder.take(join(file, 'below'))).toThrow(/is a file/);
  });

  it('is not left with a probe or a lock by a full disk', () => {
    mkdirSync(join(dir, '.probe'));
    expect(() => DataFolder.take(dir)).toThrow();
    rmSync(join(dir, '.probe'), { recursive: true });
    DataFolder.take(dir).release();
    expect(readdirSync(dir)).toEqual([]);
  });
});

describe('the generated secrets', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'trace-secrets-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));
  const secretsOf = (): SecretsConfig =>
    withSecrets({
      mode: 'development',
      dataDir: dir,
      secrets: { encryptionKey: null, signingKeys: null },
      sponsor: { signer: { kind: 'none' } },
    } as unknown as Config).secrets;

  it('are the same at every start, also when a killed one left a temporary file', () => {
    writeFileSync(join(dir, 'secrets.json.new'), '{"encryp');
    const first = secretsOf();
    writeFileSync(join(dir, 'secrets.json.new'), '');
    expect(secretsOf()).toEqual(first);
  });

  it.each(['', '{"encryptionKey":"', 'null', '{}', '\0\0\0\0'])('refuse to be replaced silently when they are damaged: %j', (text) => {
    writeFileSync(join(dir, 'secrets.json'), text);
    expect(secretsOf).toThrow(/are damaged\. Restore the file from a backup, or set ENCRYPTION_KEY/);
  });

  it('are not made again where a database is that was written with others: half of a backup was restored', () => {
    mkdirSync(join(dir, 'postgres'));
    writeFileSync(join(dir, 'postgres', 'PG_VERSION'), '18');
    expect(secretsOf).toThrow(/secrets\.json are missing\. Restore the file from a backup, or set ENCRYPTION_KEY/);
    expect(existsSync(join(dir, 'secrets.json'))).toBe(false);
  });

  it('keep the old file when the new one cannot be written', () => {
    const path = join(dir, 'file');
    replaceSecretFile(path, 'old');
    mkdirSync(`${path}.new`);
    expect(() => replaceSecretFile(path, 'new')).toThrow();
    rmSync(`${path}.new`, { recursive: true });
    expect(readFileSync(path, 'utf8')).toBe('old');
    replaceSecretFile(path, 'new');
    expect([readFileSync(path, 'utf8'), readdirSync(dir)]).toEqual(['new', ['file']]);
  });
});
