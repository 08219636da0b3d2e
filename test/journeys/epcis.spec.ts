import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { documentFaults, eventFaults } from '#interchange';
import { World } from '../harness/world.js';
import { RiceTrade } from './rice-trade.js';

type Json = Record<string, any>;
interface Read {
  readonly status: number;
  readonly events: readonly Json[];
  readonly headers: Headers;
  readonly document: Json;
}

const expected = (JSON.parse(readFileSync(new URL('../../../test/harness/expected/rice.epcis.jsonld', import.meta.url), 'utf8')) as Json)[
  'epcisBody'
]['eventList'] as Json[];

describe('EPCIS', () => {
  let world: World;
  let trade: RiceTrade;
  let key: string;

  beforeAll(async () => {
    world = await World.start();
    await world.play('rice');
    trade = await RiceTrade.of(world);
    ({ secret: key } = await trade.api.post<{ secret: string }>('/api/v1/api-keys', { name: 'reads EPCIS', roles: ['COMPLIANCE'] }));
    const { tokenId } = await trade.harvest();
    await trade.handOver([tokenId]);
    await trade.land(
      trade.admin,
      trade.recall(trade.admin, tokenId, { reason: 'Cadmium', recallClass: 'I', depth: 'wholesale', propagation: 'none' }),
    );
  });
  afterAll(() => world?.close());

  const read = async (path: string, headers: Record<string, string> = {}): Promise<Read> => {
    const answer = await fetch(path.startsWith('http') ? path : `${world.baseUrl}/api/v1${path}`, {
      headers: { 'x-api-key': key, ...headers },
    });
    const document = (await answer.json()) as Json;
    const events = (document['epcisBody']?.['eventList'] ?? []) as Json[];
    if (answer.ok) {
      expect(answer.headers.get('content-type')).toMatch(/^application\/ld\+json/);
      expect(documentFaults(document)).toEqual([]);
      expect(events.flatMap((event, i) => eventFaults(event, `/${i}`))).toEqual([]);
    }
    return { status: answer.status, events, headers: answer.headers, document };
  };
  const ids = ({ events }: Read): string[] => events.map((event) => event['eventID'] as string);
  /** As the expected document was told: of another tenant, elsewhere, at another time. */
  const comparable = (event: Json): Json => {
    const aside = ['eventID', 'recordTime', 'transformationID', 'trc:dataHash', 'trc:cid', 'trc:transaction', 'trc:footprint'];
    const told = JSON.stringify(Object.fromEntries(Object.entries(event).filter(([name]) => !aside.includes(name))));
    const same = told.replaceAll(`${world.baseUrl}/id/rice/`, 'https://trace.example/id/demo/').replaceAll(/\.000Z"/g, 'Z"');
    return JSON.parse(same) as Json;
  };

  it('tells the rice chain in the shapes of the expected document, its custody and a recall besides', async () => {
    const all = await read('/events?format=epcis&all=true');
    const told = all.events.map(comparable);
    for (const event of expected) expect(told).toContainEqual(comparable(event));
    expect(new Set(ids(all)).size).toBe(all.events.length);
    const custody = all.events.flatMap((event) => (event['trc:custody'] as string | undefined) ?? []);
    expect(custody).toEqual(expect.arrayContaining(['offered', 'accepted']));
    expect(all.events.filter((event) => event['trc:custody'] === undefined && event['trc:recall'] === undefined)).toHaveLength(
      expected.length + 1,
    );
    expect(all.events.find((event) => event['trc:recall'])).toMatchObject({
      bizStep: 'holding',
      disposition: 'recalled',
      persistentDisposition: { set: ['recalled'] },
      'trc:recallReason': 'Cadmium',
      quantityList: [{ quantity: 8000, uom: 'KGM' }],
    });
  });

  it('comes a page at a time, each leading to the next, and all together are the whole', async () => {
    const all = await read('/events?format=epcis&all=true');
    const found: string[] = [];
    for (let next: string | undefined = `/events?limit=3`; next; ) {
      const page: Read = await read(next, { accept: 'application/ld+json' });
      expect(page.events.length).toBeLessThanOrEqual(3);
      found.push(...ids(page));
      next = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1];
    }
    expect(found).toEqual(ids(all));
  });

  it('of a lot names that lot, and of its tree what it was made from and what became of it', async () => {
    const dried = await trade.tokenOf('RD-20260917-01');
    const own = await read(`/nfts/${dried}/events?format=epcis&all=true`);
    const tree = await read(`/nfts/${dried}/events?format=epcis&all=true&tree=true`);
    const processes = ({ events }: Read): string[] => events.flatMap((event) => (event['trc:processType'] as string | undefined) ?? []);
    expect(processes(own).toSorted()).toEqual(['RICE_DRYING', 'RICE_MILLING']);
    expect(new Set(processes(tree))).toEqual(new Set(expected.map((event) => event['trc:processType'] as string)));
    expect(ids(tree)).toEqual(expect.arrayContaining(ids(own)));
    expect(tree.events.find((event) => event['trc:recall'])).toBeUndefined();
  });

  it.each([
    ['/events?format=csv', 400, 'unknown_format'],
    ['/events?format=epcis&page=2', 400, 'not_numbered'],
    ['/events?all=true', 400, 'not_as_json'],
    ['/events?format=epcis&cursor=nonsense', 400, 'invalid_cursor'],
    ['/nfts/999999/events?format=epcis', 404, 'lot_not_found'],
  ])('%s is refused: %s %s', async (path, status, code) => {
    const { status: given, document } = await read(path);
    expect([given, document['errors']?.[0]?.code ?? document['code']]).toEqual([status, code]);
  });

  it('of nothing is a document without events', async () => {
    expect((await read('/events?format=epcis&from=2001-01-01&to=2001-01-02')).events).toEqual([]);
  });
});
