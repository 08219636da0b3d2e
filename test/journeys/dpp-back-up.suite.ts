import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { backUpServer, openBackUp } from '../../apps/cli/src/passports/back-up-server.js';
import { outputOf } from '../harness/command-line.js';
import { eventually } from '../harness/eventually.js';
import { type CellMaker, GTIN, MODEL_GTIN } from './dpp-world.js';
import type { Json } from './rice-trade.js';

/** A copy of a tenant's passports that answers without the service. */
export function dppBackUpSuite(makerOf: () => CellMaker): void {
  describe('a back-up', () => {
    const folder = mkdtempSync(join(tmpdir(), 'trace-back-up-'));
    let maker: CellMaker;
    let id: string;
    let withdrawn: string;
    let versions: Json[];
    let said: string;
    let server: Server;
    const backUp = (): Promise<string> => outputOf(['passports', 'back-up', 'rice', folder], maker.world.environment);
    const site = (path: string): string => readFileSync(join(folder, 'site', path), 'utf8');
    const serve = async (): Promise<void> => {
      server = backUpServer((await openBackUp(folder)).backUp).listen(0, '127.0.0.1');
      await eventually('it listens', () => Promise.resolve(server.listening || undefined));
    };
    const answerOf = async (base: string, [path, body]: readonly [string, string?]): Promise<unknown[]> => {
      const init = body === undefined ? {} : { method: 'POST', body, headers: { 'content-type': 'application/json' } };
      const answer = await fetch(base + path, init);
      const text = await answer.text();
      const { code, statusCode } = answer.status === 200 ? ({} as Json) : (JSON.parse(text) as Json);
      return answer.status === 200
        ? [path, 200, answer.headers.get('content-type'), body === undefined ? answer.headers.get('etag') : '', text]
        : [path, answer.status, code, statusCode];
    };
    const both = async (request: readonly [string, string?]): Promise<[unknown[], unknown[]]> => {
      const copy = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      return [await answerOf(copy, request), await answerOf(maker.world.baseUrl, request)];
    };

    beforeAll(async () => {
      maker = makerOf();
      const eventId = await maker.make('PACK0071');
      await maker.make('PACK0072');
      await maker.make('PACK0073');
      id = (await maker.passportOf('PACK0071'))['id'] as string;
      withdrawn = (await maker.passportOf('PACK0072'))['id'] as string;
      await maker.passportOf('PACK0073');
      await eventually('a first version', async () => ((await maker.versionsOf(id)).length === 1 ? true : undefined));
      const { metadata } = await maker.admin.get<Json>(`/api/v1/events/${eventId}`);
      const corrected = { metadata: { ...metadata, health: 90 } };
      const prepared = await maker.wallet.api.post<Json>(`/api/v1/events/${eventId}/supersede/prepare`, corrected);
      await maker.wallet.land(prepared['preparedTx'], 'test');
      versions = await eventually('a second version', async () => {
        const found = await maker.versionsOf(id);
        return found.length > 1 ? found : undefined;
      });
      await maker.admin.post(`/api/v1/passports/${withdrawn}/withdraw`, { reason: 'test' });
      await eventually('the service shows the correction', async () => {
        const answer = await fetch(`${maker.world.baseUrl}/v1/dpps/${id}`);
        return ((await answer.json()) as Json)['stateOfHealth'] === 90 ? true : undefined;
      });
      said = await backUp();
      await serve();
    });
    afterAll(() => {
      server?.close();
      rmSync(folder, { recursive: true, force: true });
    });

    it('has a recovery point, and the hash of every file', () => {
      const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Json;
      expect(said).toContain(`Recovery point: block ${manifest['asOf'].block} of chain 31337, ${manifest['asOf'].time}.`);
      expect(manifest['asOf'].block).toBeGreaterThan(0);
      const files = readdirSync(join(folder, 'site'), { recursive: true }).map(String);
      const written = files.filter((file) => statSync(join(folder, 'site', file)).isFile());
      expect(Object.keys(manifest['files'] as object).toSorted()).toEqual(written.toSorted());
      expect(JSON.stringify(manifest) + written.map(site).join('')).not.toMatch(/SECRET-VALUE|REPAIR-VALUE|REPORT-VALUE|Hall of a person/);
      expect(files.join()).not.toContain(withdrawn);
    });

    it('gives the same bytes as the service, for every method that reads', async () => {
      const item = `https://id.gs1.org/01/${GTIN}/21/PACK0071`;
      const model = `https://id.gs1.org/01/${MODEL_GTIN}`;
      const urn = `urn:uuid:${id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')}`;
      const dates = versions.flatMap((one) => [one['from'] as string, new Date(Date.parse(one['from'] as string) - 1).toISOString()]);
      const encoded = (text: string): string => encodeURIComponent(text);
      const products = JSON.stringify({
        productIds: [
          item,
          `${item}x`,
          model,
          item,
          `https://id.gs1.org/01/${GTIN}/21/PACK0073`,
          `https://id.gs1.org/01/${GTIN}/21/PACK0072`,
        ],
      });
      const requests: [string, string?][] = [
        ...[id, urn, item, withdrawn, 'x', `${item}x`].flatMap((one): [string][] =>
          ['', '?representation=full', '?representation=fuller'].map((query) => [`/v1/dpps/${encoded(one)}${query}`]),
        ),
        ...[item, `${item}?tenant=rice`, `${item}?tenant=wool`, model, urn].map((one): [string] => [`/v1/dppsByProductId/${encoded(one)}`]),
        ...[...dates, '2099-01-01', '2020-01-01', 'yesterday'].flatMap((date): [string][] =>
          ['', '&representation=full'].map((more) => [`/v1/dppsByIdAndDate/${id}?date=${encoded(date)}${more}`]),
        ),
        ...["$['chemistry']['shares'][1]", '$.chemistry.name', "$['none']", '$..name', 'chemistry', "$['secret']"].flatMap(
          (path): [string][] => ['', '?representation=full'].map((query) => [`/v1/dpps/${id}/elements/${encoded(path)}${query}`]),
        ),
        ['/v1/dppsByProductIds', products],
        ['/v1/dppsByProductIds?limit=1', products],
        ['/v1/dppsByProductIds?limit=0', products],
        ['/v1/dppsByProductIds?cursor=x', products],
        ['/v1/dppsByProductIds', '{"productIds":[]}'],
      ];
      const statuses = new Set<unknown>();
      for (const request of requests) {
        const [copied, live] = await both(request);
        statuses.add(live[1]);
        expect(copied).toEqual(live);
      }
      expect(statuses).toEqual(new Set([200, 404, 400]));
      const [first] = await both(['/v1/dppsByProductIds?limit=1', products]);
      const { nextCursor } = JSON.parse(first[4] as string) as Json;
      const [copied, live] = await both([`/v1/dppsByProductIds?cursor=${nextCursor}`, products]);
      expect([copied, live[1]]).toEqual([live, 200]);
    });

    it('has the same at the addresses that a file host serves', async () => {
      const live = await (await fetch(`${maker.world.baseUrl}/v1/dpps/${id}`)).text();
      expect([site(`v1/dpps/${id}/index.json`), site(`01/${GTIN}/21/PACK0071/index.json`)]).toEqual([live, live]);
      expect(JSON.parse(site(`v1/dpps/${id}/versions/index.json`))).toEqual(
        versions.map(({ version, from, hash }) => ({ version, from, hash })).toReversed(),
      );
    });

    it('is served by a command that needs the folder alone, until it is stopped', async () => {
      const args = ['dist/apps/cli/src/main.js', 'passports', 'serve-back-up', folder, '--port', '0'];
      const command = spawn(process.execPath, args, { env: { PATH: process.env['PATH'] ?? '' }, stdio: ['ignore', 'pipe', 'inherit'] });
      try {
        const [line] = (await once(command.stdout, 'data')) as [Buffer];
        const [, base] = /passports of rice, as of block \d+, at (http:\/\/\S+)\/v1/.exec(line.toString())!;
        expect(await answerOf(base!, [`/v1/dpps/${id}`])).toEqual(await answerOf(maker.world.baseUrl, [`/v1/dpps/${id}`]));
        command.kill('SIGTERM');
        expect(await once(command, 'exit')).toEqual([0, null]);
      } finally {
        command.kill('SIGKILL');
      }
    });

    it('says so when a file is not what was written, and when it is no back-up', async () => {
      const file = join(folder, 'site', `v1/dpps/${id}/index.json`);
      const text = readFileSync(file, 'utf8');
      writeFileSync(file, text.replace('90', '99'));
      const [copied] = await both([`/v1/dpps/${id}`]);
      expect(copied.slice(1)).toEqual([503, 'back_up_damaged', 'ServerInternalError']);
      writeFileSync(file, text);
      await expect(openBackUp(join(folder, 'site'))).rejects.toThrow('There is no manifest.json');
    });

    it('forgets what was withdrawn since, when it is made again', async () => {
      await maker.admin.post(`/api/v1/passports/${id}/withdraw`, { reason: 'test' });
      await backUp();
      expect(readdirSync(join(folder, 'site'), { recursive: true }).join()).not.toMatch(new RegExp(`${id}|PACK0071`));
      server.close();
      await serve();
      await eventually('the service shows it no more', async () =>
        (await fetch(`${maker.world.baseUrl}/v1/dpps/${id}`)).status === 404 ? true : undefined,
      );
      const [copied, live] = await both([`/v1/dpps/${id}`]);
      expect(copied).toEqual(live);
    });
  });
}
