import { expect, it } from '@jest/globals';
import { eventHashId } from '#interchange/testing';
import type { Company } from '../../apps/cli/src/demo/company.js';
import type { World } from '../harness/world.js';
import type { Json, RiceTrade } from './rice-trade.js';

/** An answer in EPCIS. */
export interface Read {
  readonly status: number;
  readonly events: readonly Json[];
  readonly headers: Headers;
  readonly document: Json;
}

interface CaptureWorld {
  readonly world: World;
  readonly trade: RiceTrade;
  readonly capture: (company: Company, body: object) => Promise<{ readonly status: number; readonly body: Json }>;
  readonly documentOf: (...events: object[]) => Json;
  readonly harvest: (code: string, more?: object) => Json;
  readonly read: (path: string) => Promise<Read>;
}

/** What one captured document may make the service keep and answer. */
export function captureBoundsSuite(of: () => CaptureWorld): void {
  it('takes an event by itself and the results of a query, and points into them', async () => {
    const { trade, capture, documentOf, harvest } = of();
    const codes = ({ body }: { readonly body: Json }): string[] =>
      (body['data'] as Json[]).map(({ problem }) => (problem ? (problem['code'] as string) : 'prepared'));
    const { '@context': contexts, ...around } = documentOf();
    const alone = { '@context': contexts as unknown, ...harvest('RH-20261120-B1') };
    const single = await capture(trade.farmA, alone);
    expect(single).toMatchObject({ status: 200, body: { prepared: 1, data: [{ processType: 'RICE_HARVESTING' }] } });
    const results = (event: Json): Json => ({
      '@context': contexts as unknown,
      ...around,
      type: 'EPCISQueryDocument',
      epcisBody: { queryResults: { queryName: 'SimpleEventQuery', resultsBody: { eventList: [event] } } },
    });
    // The same event: its context is that of its document here.
    expect(codes(await capture(trade.farmA, results(harvest('RH-20261120-B1'))))).toEqual(['event_captured']);
    const wrong = await capture(trade.farmA, results(harvest('RH-20261120-B2', { action: 'MAKE' })));
    expect(wrong.body['data'][0]['problem']['errors'][0]['pointer']).toBe('/epcisBody/queryResults/resultsBody/eventList/0/action');
    const alsoWrong = await capture(trade.farmA, { ...alone, bizStep: 'making' });
    expect(alsoWrong.body['data'][0]['problem']['errors'][0]['pointer']).toBe('/bizStep');
  });

  it('keeps the context of a document once, whatever the number of its events and documents, and gives it out with each', async () => {
    const [other, ext] = [{ other: 'https://farm.example/other/' }, { ext: 'https://farm.example/kept-once/' }];
    const events = ['K1', 'K2', 'K3'].map((code, i) =>
      of().harvest(`RH-20261121-${code}`, { 'ext:remark': code, ...(i === 2 && { '@context': [other], 'other:remark': 'own' }) }),
    );
    const around = (...list: Json[]): Json => ({ ...of().documentOf(...list), '@context': [...of().documentOf()['@context'], ext] });
    const first = await of().capture(of().trade.farmA, around(...events.slice(0, 2)));
    const second = await of().capture(of().trade.farmA, around(events[2]!));
    const prepared = [...first.body['data'], ...second.body['data']] as Json[];
    expect(prepared.map(({ status }) => status)).toEqual([200, 200, 200]);
    const rows = await of().world.database.unitOfWork.asSystem((tx) =>
      tx.sql<{ n: number; events: number }>(
        `select count(distinct c.hash)::int as n, count(*)::int as events from interchange.captured_context c
         join interchange.captured_event e on e.tenant_id = c.tenant_id and e.context_hash = c.hash where c.contexts like '%kept-once%'`,
      ),
    );
    expect(rows).toEqual([{ n: 1, events: 3 }]);
    for (const [i, { event, eventHashID }] of prepared.entries()) {
      await of().trade.farmA.land(event['preparedTx'] as never, 'test');
      const lot = await of().trade.tokenOf(`RH-20261121-K${i + 1}`);
      const answer = await of().read(`/nfts/${lot}/events?format=epcis`);
      expect(answer.events[0]!['@context']).toEqual([{ trc: `${of().world.baseUrl}/ns/trc#` }, ext, ...(i === 2 ? [other] : [])]);
      expect(eventHashId(answer.events[0]!, answer.document['@context'])).toBe(eventHashID);
    }
  });

  it('refuses a context that is too large, by its pointer, before any event is read', async () => {
    const context = { ext: 'https://farm.example/ns/', p: 'x'.repeat(2_000_000) };
    const events = Array.from({ length: 2_000 }, (_, i) => of().harvest(`RH-20261122-${i}`));
    const { status, body } = await of().capture(of().trade.farmA, {
      ...of().documentOf(...events),
      '@context': [...of().documentOf()['@context'], context],
    });
    expect([status, body]).toMatchObject([422, { code: 'invalid_content', errors: [{ pointer: '/@context', code: 'too_large' }] }]);
    const own = await of().capture(of().trade.farmA, of().documentOf(of().harvest('RH-20261122-OWN', { '@context': context })));
    expect(own.body['data'][0].problem.errors.map(({ pointer }: Json) => pointer)).toContain('/epcisBody/eventList/0/@context');
  });

  it('lists at most a thousand problems of a document, and says how many more each event has', async () => {
    const wrong = { epcList: Array.from({ length: 900 }, () => '') };
    const { body } = await of().capture(
      of().trade.farmA,
      of().documentOf(...Array.from({ length: 30 }, (_, i) => of().harvest(`RH-20261123-${i}`, wrong))),
    );
    const items = body['data'] as Json[];
    const listed = items.map(({ problem }) => [problem.errors.length, problem.moreErrors]);
    expect([listed[0], listed[29]]).toEqual([
      [100, 800],
      [1, 899],
    ]);
    expect(items[29]!['validation'].errors).toHaveLength(1);
  });
}
