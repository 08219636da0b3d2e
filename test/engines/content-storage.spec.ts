import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  addressOf,
  contentPersistence,
  CorruptContent,
  DatabaseContentStore,
  FileContentStore,
  KuboContentStore,
  MAX_CONTENT_BYTES,
} from '#content-storage';
import { type FakeKubo, startFakeKubo } from '#content-storage/testing';
import { EngineUnavailable } from '#kernel';
import { cloneTestDatabase } from '#persistence/testing';
import { eventuallyHolds } from '../harness/eventually.js';
import { contentStoreSuite } from './content-storage.suite.js';
import { notRunHere } from '../harness/not-run-here.js';

const emptyFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'trace-content-'));
const pathOf = (folder: string, cid: string): string => join(folder, cid.slice(-3, -1), cid);

contentStoreSuite('files', async () => {
  const folder = await emptyFolder();
  return {
    store: new FileContentStore(folder),
    damage: (cid) => writeFile(pathOf(folder, cid), 'damaged'),
    close: () => rm(folder, { recursive: true }),
  };
});

contentStoreSuite('PostgreSQL', async () => {
  const db = await cloneTestDatabase([contentPersistence]);
  return {
    store: new DatabaseContentStore(db.unitOfWork),
    damage: async (cid) => void (await db.dataSource.query(`update content.block set bytes = 'damaged' where cid = $1`, [cid])),
    close: () => db.drop(),
  };
});

contentStoreSuite('a fake Kubo', async () => {
  const kubo = await startFakeKubo({ authorization: 'Bearer secret' });
  return {
    store: new KuboContentStore({ url: kubo.url, authorization: 'Bearer secret' }),
    damage: async (cid) => kubo.damage(cid),
    collectGarbage: () => kubo.collectGarbage(),
    close: () => kubo.close(),
  };
});

const realKubo = process.env.KUBO_RPC_URL;
if (realKubo)
  contentStoreSuite(
    `the Kubo at ${new URL(realKubo).host}`,
    async () => ({
      store: new KuboContentStore({ url: realKubo, authorization: process.env.KUBO_AUTHORIZATION ?? null, timeoutMs: 2_000 }),
      close: async () => undefined,
    }),
    false,
  );
else notRunHere('content store in a real Kubo: set KUBO_RPC_URL (and KUBO_AUTHORIZATION)');

describe('the file store', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await emptyFolder();
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('loses nothing that it confirmed when it is killed at any moment, and shows nothing half-written', async () => {
    const putter = spawn(process.execPath, [fileURLToPath(new URL('./content-storage-putter.js', import.meta.url)), folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const confirmed: string[] = [];
    for await (const chunk of putter.stdout) {
      confirmed.push(...(chunk as Buffer).toString().split('\n').filter(Boolean));
      if (confirmed.length > 400) putter.kill('SIGKILL');
    }
    expect(confirmed.length).toBeGreaterThan(400);
    const store = new FileContentStore(folder);
    // The last line may have been cut in two.
    for (const cid of confirmed.filter((line) => line.length === 59)) expect(await store.get(cid)).not.toBeNull();
    for (const shard of (await readdir(folder)).filter((name) => name.length === 2))
      for (const cid of await readdir(join(folder, shard))) expect((await store.get(cid))?.length).toBe(20_000);
  });

  it('passes by what was killed between write and rename, and clears it away later', async () => {
    const bytes = randomBytes(500);
    const { cid } = addressOf(bytes);
    await mkdir(join(folder, 'incoming'), { recursive: true });
    const half = join(folder, 'incoming', 'half');
    await writeFile(half, bytes.subarray(0, 100));
    const fresh = join(folder, 'incoming', 'fresh');
    await writeFile(fresh, 'of a process that is still at it');
    const twoHoursAgo = new Date(Date.now() - 7_200_000);
    await utimes(half, twoHoursAgo, twoHoursAgo);
    const store = new FileContentStore(folder);
    expect(await store.get(cid)).toBeNull();
    await store.put(bytes);
    expect(Buffer.from((await store.get(cid))!).equals(bytes)).toBe(true);
    expect(await readdir(join(folder, 'incoming'))).toEqual(['fresh']);
  });

  it('tells among many who ask at once only those of a damaged or unreadable block of it', async () => {
    const store = new FileContentStore(folder);
    const blocks = Array.from({ length: 20 }, (_, i) => randomBytes(i === 7 ? MAX_CONTENT_BYTES : 400));
    const cids = (await Promise.all(blocks.map((bytes) => store.put(bytes)))).map(({ cid }) => cid);
    await writeFile(pathOf(folder, cids[3]!), 'damaged');
    await writeFile(pathOf(folder, cids[4]!), randomBytes(MAX_CONTENT_BYTES + 10));
    await rm(pathOf(folder, cids[5]!));
    await mkdir(pathOf(folder, cids[5]!));
    const found = await Promise.allSettled(cids.map((cid) => store.get(cid)));
    for (const i of [3, 4]) expect(found[i]).toMatchObject({ status: 'rejected', reason: new CorruptContent(cids[i]!) });
    expect(found[5]).toMatchObject({ status: 'rejected', reason: { engine: 'content_storage', cause: { code: 'EISDIR' } } });
    const given = found.map((one, i) => one.status === 'fulfilled' && Buffer.from(one.value!).equals(blocks[i]!));
    expect(given).toEqual(blocks.map((_, i) => i < 3 || i > 5));
  });

  describe('with many blocks in one file', () => {
    const packs = async (): Promise<string[]> => (await readdir(join(folder, 'packs'))).map((name) => join(folder, 'packs', name));
    const blocks = (count: number, size = 40): Buffer[] => Array.from({ length: count }, () => randomBytes(size));
    const read = async (store: FileContentStore, bytes: Uint8Array): Promise<Uint8Array | null> => store.get(addressOf(bytes).cid);

    it('finds what another process packed before and after the first read', async () => {
      const [one, other] = [new FileContentStore(folder), new FileContentStore(folder)];
      const batches = [blocks(30), blocks(30), blocks(30)];
      for (const batch of batches) {
        expect(await read(other, batch[0]!)).toBeNull();
        await one.putAll(batch);
        for (const bytes of batch) expect(Buffer.from((await read(other, bytes))!).equals(bytes)).toBe(true);
      }
      expect(await packs()).toHaveLength(3);
    });

    it('keeps more blocks than its index began with', async () => {
      const store = new FileContentStore(folder);
      const all = blocks(9_000, 16);
      await store.putAll(all);
      for (const bytes of all.filter((_, i) => i % 50 === 0)) expect(Buffer.from((await read(store, bytes))!).equals(bytes)).toBe(true);
      expect(await read(store, randomBytes(16))).toBeNull();
    });

    it('writes packs of a bounded size, and nothing again that is whole', async () => {
      const store = new FileContentStore(folder);
      const all = blocks(40, 256 * 1024);
      await store.putAll(all);
      expect(await packs()).toHaveLength(2);
      await store.putAll(all);
      expect(await packs()).toHaveLength(2);
      for (const bytes of all) expect(Buffer.from((await read(store, bytes))!).equals(bytes)).toBe(true);
    });

    it('finds a damaged block out, and mends it by the next put, alone or among many', async () => {
      const [alone, among, sound] = blocks(20, 300) as [Buffer, Buffer, Buffer];
      const all = [alone, among, sound, ...blocks(17)];
      await new FileContentStore(folder).putAll(all);
      const [pack] = (await packs()) as [string];
      const bytes = await readFile(pack);
      for (const one of [alone, among]) bytes[bytes.indexOf(one) + 5]! ^= 1;
      await writeFile(pack, bytes);
      const store = new FileContentStore(folder);
      for (const one of [alone, among]) await expect(read(store, one)).rejects.toBeInstanceOf(CorruptContent);
      expect(Buffer.from((await read(store, sound))!).equals(sound)).toBe(true);
      await store.put(alone);
      await store.putAll(all.filter((one) => one !== alone));
      for (const reader of [store, new FileContentStore(folder)])
        for (const one of all) expect(Buffer.from((await read(reader, one))!).equals(one)).toBe(true);
    });

    it.each([
      ['cut short', (bytes: Buffer) => bytes.subarray(0, 60)],
      ['of another kind', () => Buffer.from('a note')],
      ['empty', () => Buffer.alloc(0)],
      [
        'with a head that counts more than there is',
        (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 8), Buffer.alloc(4, 0xff), bytes.subarray(12)]),
      ],
    ])('passes by a pack that is %s', async (_, changed) => {
      const [first, second] = [blocks(16), blocks(16)];
      await new FileContentStore(folder).putAll(first);
      const [pack] = (await packs()) as [string];
      await writeFile(pack, changed(await readFile(pack)));
      const store = new FileContentStore(folder);
      expect(await read(store, first[0]!)).toBeNull();
      await store.putAll([...first, ...second]);
      for (const one of [...first, ...second]) expect(Buffer.from((await read(store, one))!).equals(one)).toBe(true);
    });
  });

  it('is unavailable where its folder cannot be made, and works once it can', async () => {
    const taken = join(folder, 'taken');
    await writeFile(taken, 'a file, not a folder');
    const store = new FileContentStore(taken);
    await expect(store.put(randomBytes(8))).rejects.toMatchObject({ engine: 'content_storage', status: 503 });
    await expect(store.check()).rejects.toBeInstanceOf(EngineUnavailable);
    await rm(taken);
    await store.check();
    expect((await stat(join(taken, 'incoming'))).mode & 0o077).toBe(0);
  });
});

describe('the Kubo store', () => {
  let kubo: FakeKubo;
  let store: KuboContentStore;
  let impatient: KuboContentStore;
  const bytes = new TextEncoder().encode('{"lot":"rice"}');
  beforeEach(async () => {
    kubo = await startFakeKubo();
    store = new KuboContentStore({ url: `${kubo.url}/`, timeoutMs: 30_000 });
    impatient = new KuboContentStore({ url: `${kubo.url}/`, timeoutMs: 150 });
  });
  afterEach(() => kubo.close());

  it('pins what it puts, so that garbage collection leaves it', async () => {
    const { cid } = await store.put(bytes);
    kubo.collectGarbage();
    expect(await store.get(cid)).not.toBeNull();
    expect(kubo.asked[0]).toMatch(/^\/api\/v0\/block\/put\?cid-codec=raw&mhtype=sha2-256&pin=true/);
  });

  it('sees null when the node did not pin and has collected', async () => {
    kubo.behave('unpinned');
    const { cid } = await store.put(bytes);
    kubo.collectGarbage();
    expect(await store.get(cid)).toBeNull();
  });

  it('times out when an online node searches for an unknown CID', async () => {
    kubo.goOnline(true);
    expect(await impatient.get(addressOf(bytes).cid)).toBeNull();
  });

  it.each(['error', 'bad-gateway', 'wrong-key', 'hang', 'flood'] as const)(
    'refuses to call a put done when the node answers with: %s',
    async (way) => {
      kubo.behave(way);
      await expect(impatient.put(bytes)).rejects.toMatchObject({ code: 'content_storage_unavailable', engine: 'content_storage' });
    },
  );

  it.each(['error', 'bad-gateway', 'hang', 'flood'] as const)('does not take for absence: %s', async (way) => {
    const { cid } = await store.put(bytes);
    kubo.behave(way);
    await expect(impatient.get(cid)).rejects.toBeInstanceOf(EngineUnavailable);
    await expect(impatient.check()).rejects.toBeInstanceOf(EngineUnavailable);
    kubo.behave('ok');
    expect(await store.get(cid)).not.toBeNull();
  });

  it('says that it takes no writes while it answers, after one that failed and until one works', async () => {
    await store.put(bytes);
    kubo.behave('full');
    await store.check();
    await expect(store.put(randomBytes(8))).rejects.toBeInstanceOf(EngineUnavailable);
    expect(await store.get(addressOf(bytes).cid)).not.toBeNull();
    await expect(store.check()).rejects.toMatchObject({ engine: 'content_storage' });
    kubo.behave('ok');
    await eventuallyHolds(() => store.check());
  });

  it('does not believe other bytes', async () => {
    const { cid } = await store.put(bytes);
    kubo.behave('corrupt');
    await expect(store.get(cid)).rejects.toThrow(cid);
  });

  it('says unavailable for a node that is not there or wants another authorization', async () => {
    const guarded = await startFakeKubo({ authorization: 'Bearer right' });
    const wrong = new KuboContentStore({ url: guarded.url, authorization: 'Bearer wrong' });
    await expect(wrong.put(bytes)).rejects.toBeInstanceOf(EngineUnavailable);
    await guarded.close();
    await expect(wrong.get(addressOf(bytes).cid)).rejects.toBeInstanceOf(EngineUnavailable);
  });
});
