import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addressOf, CorruptContent, type ContentStore, MAX_CONTENT_BYTES } from '#content-storage';

export interface RunningStore {
  readonly store: ContentStore;
  /** Changes the stored bytes behind the store's back; absent where we cannot reach them. */
  readonly damage?: (cid: string) => Promise<void>;
  /** For a store whose deletion takes effect with it. */
  readonly collectGarbage?: () => void;
  readonly close: () => Promise<void>;
}

const HELLO = new TextEncoder().encode('{"hello":"wörld"}');
/** Computed apart from this code, by RFC 4648 base32 over 01 55 12 20 and the digest; the same in every store. */
const HELLO_CID = 'bafkreiav72jw2ws4jjlezdojaariaaesmpamyc6q6khbmzjffgu7qoznem';

/** What every store behind `ContentStore` keeps. */
export function contentStoreSuite(name: string, open: () => Promise<RunningStore>, damageable = true): void {
  describe(`content store in ${name}`, () => {
    let running: RunningStore;
    let store: ContentStore;
    beforeAll(async () => {
      running = await open();
      store = running.store;
    });
    afterAll(() => running.close());

    it('gives the same bytes the same CID as every other store, and gives them back', async () => {
      const address = await store.put(HELLO);
      expect(address).toEqual({ cid: HELLO_CID, dataHash: addressOf(HELLO).dataHash });
      expect(text(await store.get(HELLO_CID))).toBe('{"hello":"wörld"}');
    });

    it('takes the same bytes again', async () => {
      expect(await store.put(HELLO)).toEqual(await store.put(HELLO));
      expect(text(await store.get(HELLO_CID))).toBe('{"hello":"wörld"}');
    });

    it('answers null for what it does not have', async () => {
      expect(await store.get(addressOf(randomBytes(16)).cid)).toBeNull();
    });

    it.each([
      '',
      '../../etc/passwd',
      'bafkrei',
      'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG',
      `${HELLO_CID}/x`,
      HELLO_CID.toUpperCase(),
    ])('answers null for %p, which is no CID of ours', async (cid) => {
      expect(await store.get(cid)).toBeNull();
    });

    it('keeps bytes exactly: none, NUL, invalid UTF-8, and as many as are allowed', async () => {
      for (const bytes of [new Uint8Array(), Uint8Array.of(0, 255, 254, 13, 10), randomBytes(MAX_CONTENT_BYTES)]) {
        const { cid } = await store.put(bytes);
        expect(Buffer.from((await store.get(cid))!).equals(bytes)).toBe(true);
      }
    });

    it('refuses one byte more than allowed', async () => {
      const tooMuch = randomBytes(MAX_CONTENT_BYTES + 1);
      await expect(store.put(tooMuch)).rejects.toThrow(RangeError);
      expect(await store.get(addressOf(tooMuch).cid)).toBeNull();
    });

    it('takes the same and different bytes from many at once', async () => {
      const shared = randomBytes(1_400);
      const own = Array.from({ length: 24 }, () => randomBytes(1_400));
      const put = await Promise.all([...own.map((bytes) => store.put(bytes)), ...own.map(() => store.put(shared))]);
      expect(new Set(put.map(({ cid }) => cid)).size).toBe(25);
      for (const bytes of [...own, shared]) expect(Buffer.from((await store.get(addressOf(bytes).cid))!).equals(bytes)).toBe(true);
    });

    it('takes many at once, some of them twice, and gives each back', async () => {
      const many = Array.from({ length: 60 }, (_, i) => randomBytes(i * 20));
      const given = [...many, ...many.slice(0, 7), HELLO];
      expect(await store.putAll(given)).toEqual(given.map(addressOf));
      expect(await store.putAll(given)).toEqual(given.map(addressOf));
      for (const bytes of given) expect(Buffer.from((await store.get(addressOf(bytes).cid))!).equals(bytes)).toBe(true);
    });

    it('refuses many when one is too large', async () => {
      const many = [...Array.from({ length: 20 }, () => randomBytes(20)), randomBytes(MAX_CONTENT_BYTES + 1)];
      await expect(store.putAll(many)).rejects.toThrow(RangeError);
      expect(await store.get(addressOf(many[0]!).cid)).toBeNull();
    });

    it('answers many who ask at once each with its own, and with null where there is nothing', async () => {
      const blocks = Array.from({ length: 60 }, (_, i) => randomBytes(i * 37));
      const addresses = await Promise.all(blocks.map((bytes) => store.put(bytes)));
      const asked = addresses.flatMap(({ cid }) => [cid, addressOf(randomBytes(16)).cid]);
      const found = await Promise.all(asked.map((cid) => store.get(cid)));
      expect(found.map((bytes) => bytes && Buffer.from(bytes).toString('hex'))).toEqual(
        blocks.flatMap((bytes) => [bytes.toString('hex'), null]),
      );
    });

    (damageable ? it : it.skip)('deletes the named contents, of one and of many, and nothing else; and takes it again', async () => {
      const many = Array.from({ length: 40 }, (_, i) => randomBytes(100 + i));
      const [alone, other] = [randomBytes(300), randomBytes(300)];
      const addresses = [...(await store.putAll(many)), await store.put(alone), await store.put(other)];
      const gone = [0, 7, 39, 40].map((i) => addresses[i]!.cid);
      for (let times = 0; times < 2; times++) await store.delete([...gone, addressOf(randomBytes(16)).cid, '../../etc/passwd']);
      running.collectGarbage?.();
      const left = await Promise.all(addresses.map(async ({ cid }) => ((await store.get(cid)) === null ? cid : null)));
      expect(left.filter((cid) => cid !== null)).toEqual(gone);
      await store.putAll(many);
      await store.put(alone);
      expect(await Promise.all(gone.map((cid) => store.get(cid)))).not.toContain(null);
    });

    it('answers its check', async () => {
      await store.check();
    });

    (damageable ? it : it.skip)('finds a damaged block out, and a new put mends it', async () => {
      const bytes = randomBytes(300);
      const { cid } = await store.put(bytes);
      await running.damage!(cid);
      await expect(store.get(cid)).rejects.toBeInstanceOf(CorruptContent);
      await store.put(bytes);
      expect(Buffer.from((await store.get(cid))!).equals(bytes)).toBe(true);
    });
  });
}

const text = (bytes: Uint8Array | null): string | null => bytes && Buffer.from(bytes).toString('utf8');
