import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { JsonRpc } from '#chain';
import type { TraceabilityClient } from '#client';
import { UnitOfWork } from '#persistence';
import { outputOf } from '../harness/command-line.js';
import { eventually, eventuallyHolds } from '../harness/eventually.js';
import { TopicCatalogue } from '../harness/topic-catalogue.js';
import { World } from '../harness/world.js';
import type { Company } from '../../apps/cli/src/demo/company.js';
import { type Json, RiceTrade } from './rice-trade.js';

interface Body {
  readonly event: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, any>>;
}

/** docs/spec/reliability.md#chain: what was final is final, until the chain says otherwise. */
describe('final events that leave the chain', () => {
  let world: World;
  let trade: RiceTrade;
  let admin: TraceabilityClient;
  let chain: JsonRpc;
  beforeAll(async () => {
    world = await World.withReorgs();
    trade = await RiceTrade.of(world);
    admin = await world.admin('rice');
    await admin.webhooks.create(world.sink.url('/announced'), ['event.*', 'nft.created']);
    chain = new JsonRpc({ urls: [world.node.url], timeoutMs: 30_000 });
  });
  afterAll(() => world?.close());

  const announced = (): Body[] => world.sink.at('/announced').map(({ body }) => JSON.parse(body.toString()) as Body);
  const ofEvent = (eventId: string): string[] => announced().flatMap(({ event, data }) => (data['eventId'] === eventId ? [event] : []));
  const counts = async (): Promise<{ announced: number; waiting: number }> => {
    const [found] = await world.service.app
      .get(UnitOfWork)
      .asSystem((tx) =>
        tx.sql<{ announced: number; waiting: number }>(
          'select count(announced_at)::int as announced, count(*) filter (where announced_at is null)::int as waiting from traceability.retraction',
        ),
      );
    return found!;
  };
  /** A harvest that landed, is final and whose receivers know of it; `raw` is its signed transaction. */
  const harvest = async (outputTlc: string): Promise<{ eventId: string; raw: string; data: Body['data'] }> => {
    const prepared = await trade.event(trade.farmA, {
      processType: 'RICE_HARVESTING',
      inputTokenIds: [],
      outputTlc,
      metadata: trade.metadataOf('RICE_HARVESTING'),
    });
    const eventId = prepared['eventId'] as string;
    await trade.land(trade.farmA, Promise.resolve(prepared));
    const recorded = await eventually('event.recorded', () =>
      announced().find(({ event, data }) => event === 'event.recorded' && data['eventId'] === eventId),
    );
    const raw = await chain.call<string>('eth_getRawTransactionByHash', [recorded.data['txHash']]);
    return { eventId, raw, data: recorded.data };
  };

  it('are announced as retracted, once, as the catalogue describes it', async () => {
    const { eventId, raw, data } = await harvest('RH-20261101-RETA');
    await chain.call('anvil_reorg', [1, []]);
    const retracted = await eventually('event.retracted', () => announced().find(({ event }) => event === 'event.retracted'));
    expect(retracted.data).toMatchObject({
      tenantId: 'rice',
      eventId,
      txHash: data['txHash'],
      blockNumber: data['blockNumber'],
      occurredAt: data['occurredAt'],
      outputTokenIds: data['outputTokenIds'],
      dataHash: data['dataHash'],
    });
    expect((await TopicCatalogue.read(admin)).faults(retracted)).toEqual([]);
    expect((await admin.events.get(eventId)).status).not.toBe('recorded');
    expect(await counts()).toEqual({ announced: 1, waiting: 0 });

    // The transaction lands after all: that is said again.
    await chain.call('eth_sendRawTransaction', [raw]);
    await eventually('event.recorded again', () => ofEvent(eventId).length === 3);
    expect(ofEvent(eventId)).toEqual(['event.recorded', 'event.retracted', 'event.recorded']);
    await eventually(
      'nft.created again',
      () => announced().filter(({ event, data: { mintEventId } }) => event === 'nft.created' && mintEventId === eventId).length === 2,
    );
  });

  it('are not announced when their transaction lands again in another block', async () => {
    const { eventId, raw } = await harvest('RH-20261101-RETB');
    // Another block of the same height, with the same transaction.
    await chain.call('anvil_reorg', [1, [[raw, 0]]]);
    await eventually('recorded again', async () => (await admin.events.get(eventId)).status === 'recorded');
    await eventually('the note is dropped', async () => (await counts()).waiting === 0);
    expect(ofEvent(eventId)).toEqual(['event.recorded']);
  });

  it('are not announced by a reindex that finds them again', async () => {
    const before = announced().length;
    expect(await outputOf(['chain', 'reindex'], world.environment)).toMatch(/indexed up to block/);
    await eventually('no note is left', async () => (await counts()).waiting === 0);
    expect(await counts()).toEqual({ announced: 1, waiting: 0 });
    expect(announced()).toHaveLength(before);
  });

  it('open again what had failed because of their codes, as a void does', async () => {
    const prepare = (company: Company, outputTlc: string): Promise<Json> =>
      trade.event(company, { processType: 'RICE_HARVESTING', outputTlc, metadata: trade.metadataOf('RICE_HARVESTING') });
    const statusOf = async ({ eventId }: Json): Promise<string> => {
      const { status, failureReason } = await admin.get<Json>(`/api/v1/events/${eventId}`);
      return failureReason === null ? status : `${status} ${failureReason}`;
    };
    const until = (wanted: readonly string[], ...events: readonly Json[]) =>
      eventuallyHolds(async () => expect(await Promise.all(events.map(statusOf))).toEqual(wanted));
    const winner = await prepare(trade.farmA, 'RH-20261101-RETC');
    const loser = await prepare(trade.farmB, 'RH-20261101-RETC');
    const other = await prepare(trade.farmB, 'RH-20261101-RETD');
    await trade.land(trade.farmA, winner);
    await until(['recorded', 'failed tlc_taken', 'prepared'], winner, loser, other);
    await expect(trade.farmB.api.events.withdraw(loser['eventId'])).rejects.toMatchObject({ code: 'event_not_prepared' });

    // The block of the winner leaves the chain, and the other one is first.
    await chain.call('anvil_reorg', [1, []]);
    await eventuallyHolds(async () => expect(await statusOf(loser)).toBe('prepared'));
    await trade.land(trade.farmB, loser);
    await eventuallyHolds(async () => expect(await statusOf(winner)).toBe('failed tlc_taken'));
    await until(['recorded', 'prepared'], loser, other);

    // A void frees the code; the undo of the void takes it again.
    const voided = await trade.api.post<Json>(`/api/v1/events/${loser['eventId']}/void/prepare`, { reason: 'did_not_occur' });
    await trade.land(trade.admin, voided);
    await until(['voided'], loser);
    expect(await statusOf(winner)).not.toContain('tlc_taken');
    await chain.call('anvil_reorg', [1, []]);
    await until(['recorded', 'failed tlc_taken'], loser, winner);
  });
});
