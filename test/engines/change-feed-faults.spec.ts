import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { discardOutbox, releaseOutbox } from '#persistence';
import { anyMessage, cloneTestDatabase, type TestDatabase } from '#persistence/testing';
import { webhooksPersistence } from '#webhooks';
import { eventually } from '../harness/eventually.js';
import { freePort } from '../harness/free-port.js';
import { shortened, tenantAdmin, WebhooksWorld } from './webhooks-world.js';

interface Page {
  readonly data: readonly { readonly data: { readonly n: string } }[];
  readonly cursor: string;
}

const CHAIN = 31_337;
/** `npm run test:chaos` has more: 100 readers, 100,000 changes in 200 blocks, of which 66 are replaced, and 49 kills of API and worker. */
const READERS = Number(process.env['CHAOS_READERS'] ?? 4);
const BLOCKS = Number(process.env['CHAOS_BLOCKS'] ?? 12);
const EACH = Number(process.env['CHAOS_EACH'] ?? 5);
const LONGEST_MS = 60_000 + BLOCKS * 10_000;

describe('the change feed while its processes are killed and blocks are replaced', () => {
  let db: TestDatabase;
  let relay: WebhooksWorld;
  const children: ChildProcess[] = [];
  beforeAll(async () => {
    db = await cloneTestDatabase([webhooksPersistence]);
    relay = await WebhooksWorld.start(db.endpoint);
  });
  afterAll(async () => {
    await relay?.stop();
    await db?.drop();
  });
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });
  const start = async (port?: number): Promise<ChildProcess> => {
    const script = fileURLToPath(new URL('./webhooks-worker-process.js', import.meta.url));
    const settings = JSON.stringify({ endpoint: db.endpoint, webhooks: shortened(), port });
    const child = spawn(process.execPath, [script, settings], { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    await once(child.stdout, 'data');
    return child;
  };

  it(
    'shows every reader each final change once, in one order, and no change that is gone',
    async () => {
      const rice = tenantAdmin();
      const port = await freePort();
      const [blocks, each] = [BLOCKS, EACH];
      const reader = WebhooksWorld.at(`http://127.0.0.1:${port}`, rice);
      let read = 0;
      const reading = Array.from({ length: READERS }, async () => {
        const found: Page['data'][number][] = [];
        for (let after = ''; found.length < blocks * each;) {
          // Refused and broken connections are those of the killed process.
          const page = await eventually('an answer', async () => {
            const answer = await reader.call<Page>('GET', `/api/v1/changes?wait=20&limit=1000${after}`).catch(() => null);
            return answer?.status === 200 && answer;
          });
          found.push(...page.body.data);
          read = Math.max(read, found.length);
          after = `&after=${page.body.cursor}`;
        }
        return found;
      });
      let [api, worker] = await Promise.all([start(port), start()]);
      for (let block = 1; block <= blocks; block++) {
        const facts = Array.from({ length: each }, (_, i) => ({ key: `nft.created:${block}:${i}`, data: { n: `${block}:${i}` } }));
        const mine = (data: (n: { n: string }) => object) =>
          db.unitOfWork.inTransaction(rice, (tx) =>
            tx.publish(
              facts.map((fact) =>
                anyMessage('nft.created', data(fact.data), {
                  key: fact.key,
                  occurredAt: new Date(),
                  block: { chainId: CHAIN, number: block },
                }),
              ),
            ),
          );
        if (block % 3 === 0) {
          await mine(({ n }) => ({ n: `gone ${n}` }));
          await db.unitOfWork.asSystem((tx) => discardOutbox(tx, CHAIN, block - 1));
        }
        await mine((data) => data);
        await db.unitOfWork.asSystem((tx) => releaseOutbox(tx, CHAIN, block));
        if (block % 4 === 0 && block < blocks) {
          // The relay of this process goes on.
          api.kill('SIGKILL');
          worker.kill('SIGKILL');
          [api, worker] = await Promise.all([start(port), start()]);
        }
        await eventually('a reader to come along', async () => read >= (block - 2) * each);
      }
      const expected = Array.from({ length: blocks * each }, (_, i) => `${Math.floor(i / each) + 1}:${i % each}`);
      for (const found of await Promise.all(reading)) expect(found.map(({ data }) => data.n)).toEqual(expected);
    },
    LONGEST_MS,
  );
});
