import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PreparedTx, TraceabilityClient } from '#client';
import { ContentStore } from '#content-storage';
import { readScenario } from '../../apps/cli/src/demo/scenario.js';
import { eventually, eventuallyHolds } from '../harness/eventually.js';
import { LyingRpc } from '../harness/lying-rpc.js';
import { urlOf } from '../harness/url-of.js';
import { World } from '../harness/world.js';

type Body = Record<string, any>;

/** A few records at a time and lap after lap, so that the background check finds everything. */
describe('data reference', () => {
  let world: World;
  let chain: LyingRpc;
  let rice: TraceabilityClient;
  const report = Buffer.from('Field tag 1: plot A1, 8000 kg');
  const sha256 = createHash('sha256').update(report).digest('hex');
  let reportCid: string;

  beforeAll(async () => {
    const pace = { ALERTS_EVERY_MS: '250', POINTERS_EVERY_MS: '50', POINTERS_BATCH: '4', POINTERS_LAP_SECONDS: '1' };
    world = await World.start(pace, undefined, urlOf, async (nodeUrl) => {
      chain = await LyingRpc.before(nodeUrl);
      return chain.url;
    });
    rice = await world.admin('rice');
    await world.play('rice');
    ({ cid: reportCid } = await world.service.app.get(ContentStore, { strict: false }).put(report));
    const farm = await world.company('rice', 'farmA');
    const [harvest] = readScenario('rice').steps as unknown as { processType: string; metadata: object }[];
    const documents = [
      { type: 'FIELD_TAG', number: '1', cid: reportCid, sha256 },
      { type: 'PHOTO', number: '2', url: 'http://169.254.169.254/latest' },
    ];
    const { preparedTx } = await farm.api.post<{ preparedTx: PreparedTx }>('/api/v1/events/prepare', {
      processType: harvest!.processType,
      inputTokenIds: [],
      outputTlc: 'RH-20260915-A2',
      metadata: { ...harvest!.metadata, documents },
    });
    await farm.land(preparedTx, 'harvest');
  });
  afterAll(async () => {
    await world?.close();
    await chain?.close();
  });

  const read = (query = ''): Promise<Body> => rice.get<Body>(`/api/v1/reports/data-reference?limit=1000${query}`);
  const wrong = async (): Promise<string[]> =>
    (await read('&status=mismatch'))['pointers'].map(({ kind, subject }: Body) => `${kind} of ${subject.tlc}`).toSorted();
  const alerts = async (type: string): Promise<Body[]> => (await rice.get<Body>(`/api/v1/reports/alerts?type=${type}`))['alerts'];
  const once = <T>(assertion: () => Promise<T>): Promise<T> => eventuallyHolds(assertion, 45_000);
  const sql = (text: string, parameters: readonly unknown[] = []): Promise<Body[]> =>
    world.database.unitOfWork.asSystem((tx) => tx.sql<Body>(text, parameters));
  const blockOf = (cid: string): string => {
    const folder = join(world.environment['DATA_DIR']!, 'content');
    return join(
      folder,
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((name) => name.endsWith(cid))!,
    );
  };

  it('is correct for the whole rice scenario', async () => {
    const seen = await once(async () => {
      const found = await read();
      // Eleven events, each with bytes, a hash on chain and a transaction; ten lots; one document here and one elsewhere.
      expect(found['summary'].byKind).toMatchObject({
        cid: { ok: 11, mismatch: 0, unresolved: 0, not_checked: 0 },
        dataHash: { ok: 11, mismatch: 0, unresolved: 0, not_checked: 0 },
        tx: { ok: 11, mismatch: 0, unresolved: 0, not_checked: 0 },
        nft: { ok: 10, mismatch: 0, unresolved: 0, not_checked: 0 },
        document: { ok: 1, mismatch: 0, unresolved: 0, not_checked: 1 },
        ext: { mismatch: 0, unresolved: 0, not_checked: 0 },
      });
      expect(found['summary'].sweep.lapEndedAt).not.toBeNull();
      return found;
    });
    expect(seen['summary']).toMatchObject({ resolvedRatio: 1, matchRatio: 1, total: seen['total'], checked: seen['total'] - 1 });
    expect(seen['pointers'].find(({ status }: Body) => status === 'not_checked')).toMatchObject({
      kind: 'document',
      value: 'http://169.254.169.254/latest',
      resolved: null,
      detail: expect.stringContaining('is not fetched'),
    });
    expect(seen['pointers'].find(({ value }: Body) => value === 'sscc:095200000000000011')).toMatchObject({ kind: 'ext', status: 'ok' });
    expect(seen['pointers']).toHaveLength(seen['total']);
  });

  it('names a stored block, an indexed custodian and a document that were corrupted', async () => {
    const [packing] = await sql(`select ipfs_cid, id from traceability.event where output_tlc = 'RP262641'`);
    const block = blockOf(packing!['ipfs_cid'] as string);
    const [good, tag] = [readFileSync(block), blockOf(reportCid)];
    writeFileSync(block, good.subarray(1));
    writeFileSync(tag, 'Field tag 1: plot A1, 9000 kg');
    const [lot] = await sql(`select custodian from traceability.lot where tlc = 'RH-20260915-A2' and to_block is null`);
    const forged = world.tenant('rice').actors['mill']!.address;
    const setCustodian = (address: string): Promise<Body[]> =>
      sql(`update traceability.lot set custodian = $1 where tlc = 'RH-20260915-A2' and to_block is null`, [address]);
    await setCustodian(forged);

    // Without a request: the background check finds it. The result of each pointer does not depend on the others.
    await once(async () => expect(await wrong()).toEqual(['cid of RP262641', 'document of RH-20260915-A2', 'nft of RH-20260915-A2']));
    const found = (await read('&status=mismatch'))['pointers'] as Body[];
    const of = (kind: string): Body => found.find((pointer) => pointer['kind'] === kind)!;
    expect(of('cid')).toMatchObject({
      resolved: true,
      matches: false,
      value: packing!['ipfs_cid'],
      subject: { kind: 'event', id: packing!['id'] },
    });
    expect(of('nft')['detail']).toContain(`the custodian is ${lot!['custodian']} on chain and ${forged} in the record`);
    expect(of('document')['detail']).toContain(`FIELD_TAG 1: The stored content does not have the CID ${reportCid}`);
    await once(async () => {
      expect((await alerts('CHAIN_DRIFT')).map(({ severity, subject }) => [severity, subject.tlc])).toEqual([
        ['critical', 'RH-20260915-A2'],
      ]);
      expect(new Set((await alerts('CID_MISMATCH')).map(({ subject }) => subject.tlc))).toEqual(new Set(['RH-20260915-A2', 'RP262641']));
    });

    // Missing content is reported, and restored content is right again, after the next request with refresh.
    rmSync(block);
    await once(async () =>
      expect((await read('&refresh=true&status=unresolved'))['pointers']).toMatchObject([{ kind: 'cid', matches: null }]),
    );
    await once(async () => expect(await alerts('CID_UNRESOLVED')).toHaveLength(1));
    writeFileSync(block, good);
    writeFileSync(tag, report);
    await setCustodian(lot!['custodian'] as string);
    const mended = await read('&refresh=true');
    expect(mended['pointers'].filter(({ status }: Body) => ['mismatch', 'unresolved'].includes(status))).toEqual([]);
    await once(async () => {
      for (const type of ['CHAIN_DRIFT', 'CID_MISMATCH', 'CID_UNRESOLVED']) expect(await alerts(type)).toEqual([]);
    });
  });

  describe('reports no mismatch while it cannot check, and continues afterwards:', () => {
    const folder = (): string => join(world.environment['DATA_DIR']!, 'content');
    it.each<[string, () => void, () => void]>([
      [
        'the store is away',
        () => {
          renameSync(folder(), `${folder()}.away`);
          writeFileSync(folder(), 'no folder');
        },
        () => {
          rmSync(folder());
          renameSync(`${folder()}.away`, folder());
        },
      ],
      ['the chain is away', () => chain.answerWith(503, 'away'), () => chain.answerHonestly()],
    ])('%s', async (_, away, back) => {
      const { generatedAt: __, asOf: ___, ...before } = await read();
      expect(before['summary'].byKind.cid).toMatchObject({ ok: 11, unresolved: 0, mismatch: 0 });
      const now = (): Promise<Body[]> => sql('update reporting.pointer_cursor set next_at = now() returning tenant_id');
      away();
      try {
        await now();
        // A completed batch releases the tenant at once: this one was leased, and is not released.
        await eventually('a run without a result', async () => {
          const left = await sql(
            `select from reporting.pointer_cursor w join identity.tenant_v1 t using (tenant_id) where t.slug = 'rice' and w.next_at > now() + interval '20 seconds'`,
          );
          return left.length > 0;
        });
        await expect(read('&refresh=true')).rejects.toMatchObject({ status: 503 });
        const { generatedAt: _at, asOf: _of, ...meanwhile } = await read();
        expect(wrongOf(meanwhile)).toEqual([]);
        expect(meanwhile['total']).toBe(before['total']);
      } finally {
        back();
      }
      const [{ at }] = (await sql('select clock_timestamp() as at')) as [{ at: Date }];
      await once(async () => {
        await now();
        const { summary, ...after } = await read();
        expect(new Date(summary.sweep.lapEndedAt) > at).toBe(true);
        expect(wrongOf(after)).toEqual([]);
        expect(after['total']).toBe(before['total']);
      });
      for (const type of ['CHAIN_DRIFT', 'CID_MISMATCH', 'CID_UNRESOLVED']) expect(await alerts(type)).toEqual([]);
    });
    it('the node has no history: the same value now is a match, and a different one is not a mismatch', async () => {
      /** One that began after this. */
      const lap = async (): Promise<Body> => {
        const [{ at }] = (await sql('select clock_timestamp() as at')) as [{ at: Date }];
        return once(async () => {
          const latest = await read();
          expect(new Date(latest['summary'].sweep.lapBeganAt) > at).toBe(true);
          return latest;
        });
      };
      const custodianIs = (address: unknown): Promise<Body[]> =>
        sql(`update traceability.lot set custodian = $1 where tlc = 'RH-20260915-A2' and to_block is null`, [address]);
      const [{ custodian }] = (await sql(`select custodian from traceability.lot where tlc = 'RH-20260915-A2' and to_block is null`)) as [
        Body,
      ];
      chain.lieAbout('eth_call', (honest, [, at]) => {
        if (at !== 'latest') throw { code: -32602, message: 'BlockOutOfRangeError: block height is 3 but requested was 2' };
        return honest;
      });
      await lap();
      expect(wrongOf(await lap())).toEqual([]);
      await custodianIs(world.tenant('rice').actors['mill']!.address);
      await lap();
      expect(wrongOf(await lap())).toEqual([]);
      chain.answerHonestly();
      await once(async () => expect(await wrong()).toEqual(['nft of RH-20260915-A2']));
      await custodianIs(custodian);
      await once(async () => expect(await wrong()).toEqual([]));
      await once(async () => expect(await alerts('CHAIN_DRIFT')).toEqual([]));
    });
    const wrongOf = (of: Body): Body[] => of['pointers'].filter(({ status }: Body) => ['mismatch', 'unresolved'].includes(status));
  });

  it('keeps its sums equal to its rows after rows were overwritten', async () => {
    await once(async () => {
      const [row] = await sql(
        `select (select count(*) from (
             select tenant_id, org_id, x.day, kind, status, count(*) as n, count(*) filter (where resolved and matches) as matching
             from reporting.pointer cross join lateral (values ('-infinity'::date), ((checked_at at time zone 'utc')::date)) x(day) group by 1, 2, 3, 4, 5
             except select tenant_id, org_id, day, kind, status, n, matching from reporting.pointer_tally) d)::int as wrong,
           count(*)::int as n from reporting.pointer`,
      );
      expect(row).toMatchObject({ wrong: 0 });
      expect(row!['n']).toBeGreaterThan(40);
    });
  });

  it('reports another container with the same SSCC, and a wrong check digit', async () => {
    await sql(
      `update traceability.event set metadata = jsonb_set(metadata, '{location,gln}', '"9520000100019"')
       where output_tlc = 'RH-20260915-A2'`,
    );
    await once(async () =>
      expect((await read('&kind=ext&status=mismatch'))['pointers']).toMatchObject([
        { value: 'gln:9520000100019', detail: 'The check digit of GLN 9520000100019 is wrong.', subject: { tlc: 'RH-20260915-A2' } },
      ]),
    );
    await sql(
      `update traceability.event set metadata = jsonb_set(metadata, '{location,gln}', '"9520000100018"') where output_tlc = 'RH-20260915-A2'`,
    );
    await sql(
      `update traceability.event set kind = 'aggregation', metadata = metadata || '{"sscc":"095200000000000011"}' where output_tlc = 'RH-20260915-A2'`,
    );
    await once(async () =>
      expect(
        (await read('&kind=ext&status=mismatch'))['pointers'].map(({ value, subject }: Body) => `${value} of ${subject.tlc}`).toSorted(),
      ).toEqual(['sscc:095200000000000011 of 095200000000000011', 'sscc:095200000000000011 of RH-20260915-A2']),
    );
  });

  it('is paged, can be filtered by organisation, and refuses invalid queries', async () => {
    const { secret } = await rice.post<{ secret: string }>('/api/v1/api-keys', {
      name: 'distributor',
      roles: ['ADMIN'],
      orgId: (await rice.get<{ data: Body[] }>('/api/v1/organisations?limit=100')).data.find(
        (one) => one['name'] === 'Example Distributor',
      )!['id'],
    });
    const get = (query: string): Promise<Body> =>
      fetch(`${world.baseUrl}/api/v1/reports/data-reference?${query}`, { headers: { 'x-api-key': secret } }).then(
        (answer) => answer.json() as Promise<Body>,
      );
    // The distributor received and broke the pallet; bags and pallet are with it.
    await once(async () =>
      expect((await get('kind=nft'))['pointers'].map(({ subject }: Body) => subject.tlc).toSorted()).toEqual([
        '095200000000000011',
        'RP262641',
      ]),
    );
    expect((await get('kind=cid&refresh=true'))['total']).toBe(2);
    const first = await get('kind=tx&limit=1');
    const second = await get(`kind=tx&limit=1&cursor=${first['nextCursor']}`);
    expect([first['truncated'], second['truncated'], first['pointers'][0].pointerId === second['pointers'][0].pointerId]).toEqual([
      true,
      false,
      false,
    ]);
    for (const query of ['kind=x', 'status=fine', 'refresh=1'])
      expect(await get(query)).toMatchObject({ status: 400, code: 'malformed_request' });
    expect(await (await world.admin('wool')).get<Body>('/api/v1/reports/data-reference?refresh=true')).toMatchObject({
      pointers: [],
      total: 0,
      summary: { total: 0, checked: 0, resolvedRatio: null, matchRatio: null },
    });
  });
});
