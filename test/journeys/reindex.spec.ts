import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { UnitOfWork } from '#persistence';
import type { TraceabilityClient } from '#client';
import { eventuallyHolds } from '../harness/eventually.js';
import { World } from '../harness/world.js';
import { RiceTrade } from './rice-trade.js';

const run = promisify(execFile);

/** What the projection keeps; `prepared` rows, holds by quality, drills and deliveries are not the chain's. */
const PROJECTED = [
  'traceability.lot',
  'traceability.event',
  'traceability.event_lot',
  'traceability.edge',
  'traceability.recall_affected',
  'traceability.account_roles',
  'traceability.block_time',
  'custody.transfer',
  'recall.recall',
  'recall.recalled_lot',
  'recall.hold',
  'transactions.landed',
  'identity.chain_role',
  'persistence.outbox',
];

describe('the projection, made anew from the chain', () => {
  let world: World;
  let admin: TraceabilityClient;

  beforeAll(async () => {
    world = await World.start();
    admin = await world.admin('rice');
    await admin.webhooks.create(world.sink.url('/reindex'), ['event.recorded', 'nft.created', 'custody.transferred', 'nft.recalled']);
    await Promise.all([world.play('rice'), world.play('wool')]);
    await hold();
  });
  afterAll(() => world?.close());

  /** A recall that holds what it affects, of which somebody let one lot go, a lot that quality holds, and a recall that touches nothing else. */
  async function hold(): Promise<void> {
    const trade = await RiceTrade.of(world);
    const [root, broken] = [await trade.tokenOf('RD-20260917-01'), await trade.tokenOf('RM-20260920-01B')];
    await trade.land(trade.admin, trade.recall(trade.admin, root, { reason: 'Glass', propagation: 'hold' }));
    await admin.post(`/api/v1/nfts/${broken}/release`);
    await admin.post(`/api/v1/nfts/${await trade.tokenOf('RM-20260920-01N')}/hold`, { reason: 'Lab' });
    const spared = await trade.tokenOf('RH-20260916-B1');
    await trade.land(trade.admin, trade.recall(trade.admin, spared, { reason: 'A torn label', propagation: 'none' }));
  }

  const cli = async (...command: readonly string[]): Promise<string> =>
    (
      await run(process.execPath, ['tools/run.mjs', 'apps/cli/src/main.js', ...command], {
        env: { PATH: process.env['PATH'], ...world.environment },
        timeout: 60_000,
      })
    ).stdout;

  /** Every row of every projected table, as text, in an order of its own. */
  const rows = (): Promise<Record<string, readonly string[]>> =>
    world.service.app.get(UnitOfWork).asSystem(async (tx) => {
      const tables: Record<string, readonly string[]> = {};
      for (const table of PROJECTED)
        tables[table] = (await tx.sql<{ row: string }>(`select to_jsonb(t)::text as row from ${table} t order by 1`)).map(({ row }) => row);
      return tables;
    });

  it('is the same row by row, and no webhook goes out again', async () => {
    await eventuallyHolds(async () => {
      const { delivered } = await counts();
      expect(delivered).toBeGreaterThan(20);
      expect((await counts()).waiting).toBe(0);
    });
    const [before, sent] = [await rows(), world.sink.at('/reindex').length];
    for (const table of ['traceability.lot', 'custody.transfer', 'transactions.landed', 'recall.hold'])
      expect(before[table]!.length).toBeGreaterThan(0);

    expect(await cli('chain', 'reindex')).toMatch(/projected up to block/);
    await eventuallyHolds(async () => {
      const status = JSON.parse(await cli('chain', 'status')) as { head: number; final: number };
      expect(status.final).toBe(status.head);
    });
    const after = await rows();
    for (const table of PROJECTED) expect([table, after[table]]).toEqual([table, before[table]]);
    expect((await counts()).waiting).toBe(0);
    expect(world.sink.at('/reindex').length).toBe(sent);
    for (const [tlc, status] of Object.entries({ RP262641: 'on_hold', 'RM-20260920-01B': 'active', 'RM-20260920-01N': 'on_hold' }))
      expect([tlc, (await admin.lots.byTlc(tlc))['status']]).toEqual([tlc, status]);
  });

  it('is not resumed while it is not stopped', async () => {
    await expect(cli('chain', 'resume')).rejects.toMatchObject({ stderr: expect.stringContaining('is not stopped') });
    await expect(cli('chain', 'resume', '--back-to', 'x')).rejects.toMatchObject({ stderr: expect.stringContaining('is no block number') });
  });

  async function counts(): Promise<{ delivered: number; waiting: number }> {
    const [found] = await world.service.app.get(UnitOfWork).asSystem((tx) =>
      tx.sql<{ delivered: string; waiting: string }>(
        `select (select count(*) from webhooks.delivery where status = 'delivered') as delivered,
           (select count(*) from persistence.outbox where relayed_at is null) + (select count(*) from webhooks.delivery where status <> 'delivered') as waiting`,
      ),
    );
    return { delivered: Number(found!.delivered), waiting: Number(found!.waiting) };
  }
});
