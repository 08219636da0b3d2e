import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addressOf } from '#content-storage';
import { Classes, type SealedContent, sealContent } from '#envelope';
import { newId } from '#kernel';
import { cloneTestDatabase, type TestDatabase } from '#persistence/testing';
import {
  compareKeyDump,
  ConfiguredKeys,
  ContentKeyStore,
  dumpKeys,
  EpochKeys,
  keysPersistence,
  NoteWords,
  OpenContents,
  readKeyDump,
  restoreKeys,
} from '#sealed-contents';

const DAY_MS = 86_400_000;
const NOW = new Date('2026-11-30T12:00:00Z');
const [OWN, OTHER] = [new ConfiguredKeys([Buffer.alloc(32, 1)]), new ConfiguredKeys([Buffer.alloc(32, 2)])];
const CLASSES = new Classes([{ pointer: '/phone', class: 'personal' }]);

describe('a dump of keys', () => {
  let db: TestDatabase;
  let folder: string;
  let epochs: EpochKeys;
  let lines: string[];
  const tenantId = newId();
  const contents: (SealedContent & { readonly cid: string })[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'trace-epochs-'));
    epochs = new EpochKeys(folder, 35 * DAY_MS);
    db = await cloneTestDatabase([keysPersistence]);
    for (let i = 0; i < 1_200; i++) {
      const subject = { chainId: 1, contract: `0x${'1'.repeat(40)}`, tenant: tenantId, kind: 'event', id: newId() } as const;
      const sealed = sealContent({ grade: 'A', phone: `+84 ${i}` }, CLASSES, subject);
      contents.push({ ...sealed, cid: addressOf(sealed.bytes).cid });
    }
    const key = await store().tenantKey({ tenantId });
    await db.unitOfWork.inTransaction({ tenantId }, (tx) => store().insert(tx, key, contents));
    lines = await made();
  });
  afterAll(async () => {
    await db?.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  const store = (): ContentKeyStore => new ContentKeyStore(db.unitOfWork, OWN);
  const made = async (): Promise<string[]> => {
    const all: string[] = [];
    for await (const line of dumpKeys(db.unitOfWork, epochs.current(NOW), new Date())) all.push(line);
    return all;
  };
  async function* given(text: readonly string[]): AsyncGenerator<string> {
    yield* text;
  }
  const read = async (text: readonly string[], by = epochs): Promise<string> => {
    let parts = 0;
    try {
      for await (const part of readKeyDump(given(text), by)) parts += part.head.epoch === '2026-11-30' ? 1 : 0;
    } catch (error) {
      return (error as Error).message;
    }
    return `${parts} parts`;
  };
  const compared = (text: readonly string[], wrapper = OWN) => compareKeyDump(db.unitOfWork, readKeyDump(given(text), epochs), wrapper);
  const stateOf = async ({ cid, bytes }: { readonly cid: string; readonly bytes: Uint8Array }) =>
    (await new OpenContents(store()).open({ tenantId }, { cid, bytes })).state;

  it('has all keys, none of them in the clear, and says what it lacks', async () => {
    expect(await compared(lines)).toMatchObject({ tenants: 1, contents: 1_200, missing: 0, closed: 0 });
    expect(await compared(lines, OTHER)).toMatchObject({ closed: 1 });
    expect(lines.slice(1).join('')).not.toMatch(/bafkrei|wrapped/);
    const late = contents[0]!;
    await db.unitOfWork.asSystem((tx) =>
      tx.sql(
        `insert into keys.content_key (tenant_id, cid, wrapped, hidden, created_at)
         select tenant_id, 'missing', wrapped, hidden, created_at from keys.content_key where cid = $1`,
        [late.cid],
      ),
    );
    expect(await compared(lines)).toMatchObject({ missing: 1 });
    await db.unitOfWork.asSystem((tx) => tx.sql(`delete from keys.content_key where cid = 'missing'`));
  });

  it('is refused where it was cut, changed or put in another order, and where its key was destroyed', async () => {
    expect(await read(lines)).toBe('5 parts');
    expect(await read(lines.slice(0, -1))).toMatch(/^The dump of keys ends too early/);
    expect(await read([])).toMatch(/ends too early/);
    expect(await read(['{"a":1}'])).toBe('The file is no dump of keys.');
    expect(await read([...lines, lines.at(-1)!])).toMatch(/after its end/);
    expect(await read([lines[0]!, lines[2]!, lines[1]!, ...lines.slice(3)])).toMatch(/^Line 2 .* was changed/);
    expect(await read([...lines.slice(0, 2), `${lines[2]!.slice(0, -8)}AAAAAAA=`, ...lines.slice(3)])).toMatch(/^Line 3 /);
    expect(await read(lines, new EpochKeys(join(folder, 'other'), DAY_MS))).toMatch(
      /^The key of the backups of 2026-11-30 is not in ERASURE_DIR/,
    );
  });

  it('brings back the words of notes', async () => {
    const other = newId();
    const subject = { chainId: 1, contract: `0x${'1'.repeat(40)}`, tenant: other, kind: 'note', id: newId() } as const;
    const sealed = sealContent({ driver: 'Lê' }, new Classes([]), subject);
    const key = await store().tenantKey({ tenantId: other });
    const note = { ...sealed, cid: addressOf(sealed.bytes).cid, note: { driver: 'Lê' } };
    await db.unitOfWork.inTransaction({ tenantId: other }, (tx) => store().insert(tx, key, [note]));
    const dump = await made();
    await db.unitOfWork.asSystem((tx) => tx.sql('delete from keys.content_key where tenant_id = $1', [other]));
    await restoreKeys(db.unitOfWork, readKeyDump(given(dump), epochs));
    const found = await db.unitOfWork.inSnapshot({ tenantId: other }, (tx) => new NoteWords(store()).notes(tx, '', 10));
    expect(found).toEqual([{ cid: note.cid, words: 'Lê' }]);
    await db.unitOfWork.asSystem((tx) => tx.sql('delete from keys.content_key where tenant_id = $1', [other]));
    await db.unitOfWork.asSystem((tx) => tx.sql('delete from keys.tenant_key where tenant_id = $1', [other]));
  });

  it('brings back what is missing, and nothing that was erased', async () => {
    const [erased, lost] = [contents[1]!, contents[2]!];
    const key = await store().tenantKey({ tenantId });
    const { leaves, tree } = await new OpenContents(store()).open({ tenantId }, erased);
    const phone = leaves.find(({ path }) => path[0] === 'phone')!;
    await db.unitOfWork.inTransaction({ tenantId }, (tx) =>
      store().replace(tx, key, erased.cid, {
        keys: { ...erased.keys, personal: erased.keys.personal!.map(() => null) },
        hidden: [...erased.hidden, tree![phone.index]!],
        erased: [['phone']],
      }),
    );
    await db.unitOfWork.asSystem((tx) => tx.sql('delete from keys.content_key where cid = $1', [lost.cid]));
    expect([await stateOf(erased), await stateOf(lost)]).toEqual(['erased', 'sealed_elsewhere']);
    expect(await restoreKeys(db.unitOfWork, readKeyDump(given(lines), epochs))).toEqual({ tenants: 0, contents: 1 });
    expect([await stateOf(erased), await stateOf(lost)]).toEqual(['erased', 'open']);
  });

  it('can be read until its time is over, and by nobody after it', async () => {
    const days = (): string[] => readdirSync(join(folder, 'epochs'));
    expect(epochs.current(NOW).key.equals(epochs.current(NOW).key)).toBe(true);
    expect(epochs.endOf('2026-11-30').toISOString()).toBe('2027-01-04T00:00:00.000Z');
    expect(epochs.destroyOld(new Date('2027-01-03T23:59:59Z'))).toEqual([]);
    expect(days()).toEqual(['2026-11-30.key']);
    expect(epochs.destroyOld(new Date('2027-01-04T00:00:00Z'))).toEqual(['2026-11-30']);
    expect(days()).toEqual([]);
    expect(await read(lines)).toMatch(/was destroyed after BACKUPS_KEPT_DAYS/);
  });
});
