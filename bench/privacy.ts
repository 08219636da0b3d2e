import { Classes, sealContent } from '#envelope';
import { ContentStore } from '#content-storage';
import { TraceabilityClient } from '#client';
import { newId } from '#kernel';
import { UnitOfWork } from '#persistence';
import { ContentKeyStore, type KeyedContent } from '#sealed-contents';
import { type DemoService, withDemoService } from './demo-service.js';
import type { Measurement, Scenario } from './report.js';

const NOTES = Number(process.env['PRIVACY_NOTES'] ?? 100_000);
const AT_ONCE = 500;
const NAME = 'Nguyễn Thị Hiếm';
/** Notes that name the person. */
const NAMED = 10;

export const scenario: Scenario = {
  name: 'privacy',
  about: `A person is searched for (\`POST /api/v1/privacy/subjects\`) and erased in a tenant with ${NOTES} notes of offers, ${NAMED} of which name them. A note is a sealed block; its words are in the row of its keys too, under the tenant's key. Where blocks are opened, the words of a tenth of the notes were taken away: so each note was read before there were any, and a search of all of them was not answered within the minute that the client waits. The service with its engines is on the same machine; the last of three searches counts.`,
  run: (say) => withDemoService('privacy', (demo) => privacy(demo, say)),
};

async function privacy(demo: DemoService, say: (line: string) => void): Promise<Measurement[]> {
  const { email, password } = demo.tenant.admin;
  const api = await TraceabilityClient.login(demo.service.baseUrl, email, password);
  const work = demo.service.app.get(UnitOfWork);
  const [tenant] = await work.asSystem((tx) =>
    tx.sql<{ id: string }>('select id from identity.tenant where slug = $1', [demo.tenant.slug]),
  );
  const tenantId = tenant!.id;
  for (let from = 0; from < NOTES; from += AT_ONCE) await plant(demo, tenantId, from);
  await work.asSystem((tx) => tx.sql('analyze keys.content_key'));
  say(`${NOTES} notes`);
  const timed = async (path: string, body: object): Promise<{ readonly seconds: number; readonly answer: Record<string, unknown> }> => {
    const began = performance.now();
    const answer = await api.post<Record<string, unknown>>(`/api/v1/privacy/${path}`, body);
    const seconds = (performance.now() - began) / 1_000;
    say(`${path}: ${seconds.toFixed(2)} s ${JSON.stringify(answer)}`);
    return { seconds, answer };
  };
  const searched = async (): Promise<number> => {
    for (let i = 0; i < 2; i++) await timed('subjects', { value: NAME });
    return (await timed('subjects', { value: NAME })).seconds;
  };
  const withWords = await searched();
  const erased = await timed('erasures', { subject: NAME });
  const notes = erased.answer['notes'] as number;
  const without = NOTES / 10;
  await work.asSystem((tx) =>
    tx.sql('update keys.content_key set words = null where cid in (select cid from keys.content_key where is_note limit $1)', [without]),
  );
  const { seconds: opened } = await timed('subjects', { value: NAME });
  return [
    { what: `search, the blocks of ${without} notes opened`, value: opened, unit: 's' },
    { what: 'opening a block, a note', value: ((opened - withWords) / without) * 1e6, unit: 'µs' },
    { what: 'search', value: withWords, unit: 's', limit: 'below 5' },
    { what: 'search, a note', value: (withWords / NOTES) * 1e6, unit: 'µs' },
    { what: 'erasure', value: erased.seconds, unit: 's', limit: 'below 10' },
    { what: 'notes that were erased', value: notes, unit: '', limit: String(NAMED) },
  ];
}

async function plant({ service: { app } }: DemoService, tenantId: string, from: number): Promise<void> {
  const keys = app.get(ContentKeyStore);
  const blocks = Array.from({ length: Math.min(AT_ONCE, NOTES - from) }, (_, i) => {
    const note = noteOf(from + i);
    const subject = { chainId: 31_337, contract: `0x${'1'.repeat(40)}`, tenant: tenantId, kind: 'note', id: newId() } as const;
    return { note, ...sealContent(note, new Classes([]), subject) };
  });
  const addresses = await app.get(ContentStore).putAll(blocks.map(({ bytes }) => bytes));
  const keyed: KeyedContent[] = blocks.map(({ keys: own, hidden, note }, i) => ({ keys: own, hidden, note, cid: addresses[i]!.cid }));
  const key = await keys.tenantKey({ tenantId });
  await app.get(UnitOfWork).inTransaction({ tenantId }, (tx) => keys.insert(tx, key, keyed));
}

const noteOf = (i: number) => ({
  method: 'offerCustody',
  args: { tokenIds: [i], to: `0x${String(i).padStart(40, '0')}` },
  preparedBy: `0x${'2'.repeat(40)}`,
  preparedAt: '2026-12-01T00:00:00.000Z',
  metadata: {
    handedOverAt: '2026-12-01T07:30:00+07:00',
    driver: { name: i % (NOTES / NAMED) === 0 ? NAME : `Trần Văn ${i}`, phone: `+84 90 ${String(i).padStart(7, '0')}` },
    location: { name: 'Kho Cần Thơ', country: 'VN', city: 'Cần Thơ' },
    remark: 'Seals checked, two pallets wrapped again.',
  },
});
