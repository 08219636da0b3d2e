import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Classes, type SealedContent, sealContent } from '#envelope';
import { addressOf } from '#content-storage';
import { newId } from '#kernel';
import { type TestDatabase, cloneTestDatabase } from '#persistence/testing';
import { ConfiguredKeys, ContentKeyStore, KeyLost, keysPersistence, OpenContents } from '#sealed-contents';

const [OLD, NEW, OTHER] = [1, 2, 3].map((byte) => Buffer.alloc(32, byte)) as [Buffer, Buffer, Buffer];
const CLASSES = new Classes([{ pointer: '/farmers/*/phone', class: 'personal' }]);

describe('keys of contents', () => {
  let db: TestDatabase;
  let tenantId: string;
  beforeAll(async () => {
    db = await cloneTestDatabase([keysPersistence]);
  });
  afterAll(() => db.drop());
  beforeEach(() => {
    tenantId = newId();
  });

  const storeWith = (...secrets: Buffer[]): ContentKeyStore => new ContentKeyStore(db.unitOfWork, new ConfiguredKeys(secrets));
  const sealedFor = (tenant: string): SealedContent & { readonly cid: string } => {
    const subject = { chainId: 1, contract: `0x${'1'.repeat(40)}`, tenant, kind: 'event', id: newId() } as const;
    const sealed = sealContent({ grade: 'A', farmers: [{ phone: '+84 1' }, { phone: '+84 2' }] }, CLASSES, subject);
    return { ...sealed, cid: addressOf(sealed.bytes).cid };
  };
  const keep = async (store: ContentKeyStore, ...contents: (SealedContent & { readonly cid: string })[]): Promise<void> => {
    const key = await store.tenantKey({ tenantId });
    await db.unitOfWork.inTransaction({ tenantId }, (tx) => store.insert(tx, key, contents));
  };
  const stateOf = async (store: ContentKeyStore, { cid, bytes }: { readonly cid: string; readonly bytes: Uint8Array }, tenant = tenantId) =>
    (await new OpenContents(store).open({ tenantId: tenant }, { cid, bytes })).state;

  it('open what they sealed, in another process too', async () => {
    const sealed = sealedFor(tenantId);
    await keep(storeWith(OLD), sealed);
    const { state, content } = await new OpenContents(storeWith(OLD)).open({ tenantId }, sealed);
    expect([state, content]).toEqual(['open', { grade: 'A', farmers: [{ phone: '+84 1' }, { phone: '+84 2' }] }]);
  });

  it('are made once for a tenant, however many processes ask at the same time', async () => {
    const keys = await Promise.all(Array.from({ length: 20 }, () => storeWith(OLD).tenantKey({ tenantId })));
    expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(1);
  });

  it('are not there before the transaction that names the content, and not when it fails', async () => {
    const store = storeWith(OLD);
    const sealed = sealedFor(tenantId);
    const key = await store.tenantKey({ tenantId });
    const failing = db.unitOfWork.inTransaction({ tenantId }, async (tx) => {
      await store.insert(tx, key, [sealed]);
      throw new Error('killed');
    });
    await expect(failing).rejects.toThrow('killed');
    expect(await stateOf(store, sealed)).toBe('sealed_elsewhere');
  });

  it('of another tenant, or of another row, open nothing', async () => {
    const store = storeWith(OLD);
    const [sealed, other] = [sealedFor(tenantId), sealedFor(tenantId)];
    await keep(store, sealed, other);
    expect(await stateOf(store, sealed, newId())).toBe('sealed_elsewhere');
    const swap = 'update keys.content_key k set wrapped = o.wrapped from keys.content_key o where k.cid = $1 and o.cid = $2';
    await db.unitOfWork.asSystem((tx) => tx.sql(swap, [sealed.cid, other.cid]));
    expect(await stateOf(store, sealed)).toBe('key_lost');
  });

  it('whose wrapping key is not configured are lost, and nothing is made in their place', async () => {
    const sealed = sealedFor(tenantId);
    await keep(storeWith(OLD), sealed);
    expect(await stateOf(storeWith(OTHER), sealed)).toBe('key_lost');
    await expect(storeWith(OTHER).tenantKey({ tenantId })).rejects.toThrow(KeyLost);
    expect(await stateOf(storeWith(OLD), sealed)).toBe('open');
  });

  it('are wrapped again by a new key while contents are sealed, and then the old one is not needed', async () => {
    const before = storeWith(OLD);
    const sealed = sealedFor(tenantId);
    await keep(before, sealed);
    const after = storeWith(NEW, OLD);
    const during = Array.from({ length: 50 }, () => sealedFor(tenantId));
    const [rotation] = await Promise.all([
      db.unitOfWork.asSystem((tx) => after.rotate(tx)),
      ...during.map((content, i) => keep(i % 2 === 0 ? before : after, content)),
    ]);
    expect(rotation.rotated).toBeGreaterThan(0);
    expect((await db.unitOfWork.asSystem((tx) => after.rotate(tx))).rotated).toBe(0);
    for (const content of [sealed, ...during]) expect(await stateOf(storeWith(NEW), content)).toBe('open');
    const lost = (...secrets: Buffer[]) => db.unitOfWork.readAsSystem((tx) => storeWith(...secrets).lostKeys(tx));
    expect([await lost(NEW, OLD), await lost(OTHER, NEW, OLD)]).toEqual([null, null]);
    expect(await lost(OTHER)).toMatch(/^ENCRYPTION_KEY does not open the keys of (\d+) of \1 tenants: another one/);
    expect(await stateOf(storeWith(OLD), sealed)).toBe('key_lost');
  });
});
