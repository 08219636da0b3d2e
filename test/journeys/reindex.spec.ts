import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { UnitOfWork } from '#persistence';
import type { TraceabilityClient } from '#client';
import { outputOf } from '../harness/command-line.js';
import { eventuallyHolds } from '../harness/eventually.js';
import { World } from '../harness/world.js';
import { RiceTrade } from './rice-trade.js';

/** Tables with rows from the chain. Prepared events, holds by quality, drills and deliveries do not come from it. */
const INDEXED = [
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

describe('the indexed rows, rebuilt from the chain', () => {
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

  /** A recall that holds its affected lots, one of which was released; a lot that quality holds; and a recall without propagation. */
  async function hold(): Promise<void> {
    const trade = await RiceTrade.of(world);
    const [root, broken] = [await trade.tokenOf('RD-20260917-01'), await trade.tokenOf('RM-20260920-01B')];
    await trade.land(trade.admin, trade.recall(trade.admin, root, { reason: 'Glass', propagation: 'hold' }));
    await admin.post(`/api/v1/nfts/${broken}/release`);
    await admin.post(`/api/v1/nfts/${await trade.tokenOf('RM-20260920-01N')}/hold`, { reason: 'Lab' });
    const spared = await trade.tokenOf('RH-20260916-B1');
    await trade.land(trade.admin, trade.recall(trade.admin, spared, { reason: 'A torn label', propagation: 'none' }));
  }

  const cli = (...command: readonly string[]): Promise<string> => outputOf(command, world.environment);

  /** Every row of every indexed table, as text, sorted. */
  const rows = (): Promise<Record<string, readonly string[]>> =>
    world.service.app.get(UnitOfWork).asSystem(async (tx) => {
      const tables: Record<string, readonly string[]> = {};
      for (const table of INDEXED)
        tables[table] = (await tx.sql<{ row: string }>(`select to_jsonb(t)::text as row from ${table} t order by 1`)).map(({ row }) => row);
      return tables;
    });

  it('are the same row by row, and no webhook is sent again', async () => {
    await eventuallyHolds(async () => {
      const { delivered } = await counts();
      expect(delivered).toBeGreaterThan(20);
      expect((await counts()).waiting).toBe(0);
    });
    const [before, sent] = [await rows(), world.sink.at('/reindex').length];
    for (const table of ['traceability.lot', 'custody.transfer', 'transactions.landed', 'recall.hold'])
      expect(before[table]!.length).toBeGreaterThan(0);

    expect(await cli('chain', 'reindex')).toMatch(/indexed up to block/);
    await eventuallyHolds(async () => {
      const status = JSON.parse(await cli('chain', 'status')) as { head: number; final: number };
      expect(status.final).toBe(status.head);
    });
    const after = await rows();
    for (const table of INDEXED) expect([table, after[table]]).toEqual([table, before[table]]);
    expect((await counts()).waiting).toBe(0);
    expect(world.sink.at('/reindex').length).toBe(sent);
    for (const [tlc, status] of Object.entries({ RP262641: 'on_hold', 'RM-20260920-01B': 'active', 'RM-20260920-01N': 'on_hold' }))
      expect([tlc, (await admin.lots.byTlc(tlc))['status']]).toEqual([tlc, status]);
  });

  it('refuse `chain resume` while the indexer is not stopped', async () => {
    await expect(cli('chain', 'resume')).rejects.toMatchObject({ stderr: expect.stringContaining('is not stopped') });
    await expect(cli('chain', 'resume', '--back-to', 'x')).rejects.toMatchObject({
      stderr: expect.stringContaining('is not a block number'),
    });
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
