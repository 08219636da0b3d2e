import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Classes, type SealedContent, sealContent } from '#envelope';
import { addressOf } from '#content-storage';
import { newId } from '#kernel';
import { type TestDatabase, cloneTestDatabase } from '#persistence/testing';
import { ConfiguredKeys, ContentKeyStore, KeyLost, type KeyedContent, keysPersistence, NoteWords, OpenContents } from '#sealed-contents';

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
  const keep = async (store: ContentKeyStore, ...contents: KeyedContent[]): Promise<void> => {
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

  it('of notes have their words sealed, each in its own row, and lose them with it', async () => {
    const store = storeWith(OLD);
    const notes = ['Lê Thị Kỳ Lạ', 'Trần Văn B', 'x'.repeat(5_000)].map((name) => ({
      ...sealedFor(tenantId),
      note: { driver: name, seal: 42 },
    }));
    await keep(store, sealedFor(tenantId), ...notes);
    const [first, second, long] = notes.map(({ cid }) => cid) as [string, string, string];
    const said = async (by = store): Promise<object> => {
      const found = await db.unitOfWork.inSnapshot({ tenantId }, (tx) => new NoteWords(by).notes(tx, '', 100));
      return Object.fromEntries(found.map(({ cid, words }) => [cid, words]));
    };
    expect(await said()).toEqual({ [first]: 'Lê Thị Kỳ Lạ\u000142', [second]: 'Trần Văn B\u000142', [long]: null });
    const rows = await db.unitOfWork.asSystem((tx) =>
      tx.sql<{ words: Buffer | null }>('select words from keys.content_key where tenant_id = $1', [tenantId]),
    );
    expect(rows.filter(({ words }) => words?.includes('Trần'))).toEqual([]);
    expect(await said(storeWith(OTHER))).toEqual({ [first]: null, [second]: null, [long]: null });
    await db.unitOfWork.asSystem((tx) =>
      tx.sql('update keys.content_key set words = (select words from keys.content_key where cid = $2) where cid = $1', [first, second]),
    );
    await db.unitOfWork.inTransaction({ tenantId }, (tx) => store.destroy(tx, second));
    expect(await said()).toEqual({ [first]: null, [long]: null });
  });

  it('whose hashes of other leaves do not fit, or were cut, open nothing: the content is invalid, its public words alone are read', async () => {
    const store = storeWith(OLD);
    const sealed = sealedFor(tenantId);
    await keep(store, sealed);
    const hidden = (set: string): Promise<unknown> =>
      db.unitOfWork.asSystem((tx) => tx.sql(`update keys.content_key set hidden = ${set} where cid = $1`, [sealed.cid]));
    await hidden('set_byte(hidden, 0, get_byte(hidden, 0) # 1)');
    const { state, content, leaves } = await new OpenContents(store).open({ tenantId }, sealed);
    expect([state, content, leaves]).toEqual(['content_invalid', {}, []]);
    await hidden(`substr(hidden, 33)`);
    expect(await stateOf(store, sealed)).toBe('content_invalid');
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
