import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { runDemo } from '../../apps/cli/src/demo/demo.command.js';
import { writeDemoFile } from '../../apps/cli/src/demo/demo-file.js';
import { eventually } from '../harness/eventually.js';
import { World } from '../harness/world.js';
import type { Json } from './rice-trade.js';

let world: World;
let folder: string;
const lines: string[] = [];
beforeAll(async () => {
  world = await World.start();
  folder = mkdtempSync(join(tmpdir(), 'demo-'));
  writeDemoFile(folder, world.demo);
  await runDemo(folder, (line) => lines.push(line));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await world?.close();
});

it('the demo records the chain of each tenant, and receives webhooks whose signatures are right', () => {
  const slugs = world.demo.tenants.map(({ slug }) => slug);
  expect(lines.filter((line) => slugs.includes(line.trim())).map((line) => line.trim())).toEqual(slugs);
  const received = lines.flatMap(
    (line) => /webhooks received: (\d+) .* signatures verified: (\d+)$/.exec(line)?.slice(1).map(Number) ?? [],
  );
  expect(received).toHaveLength(2 * slugs.length);
  for (let i = 0; i < received.length; i += 2) expect(received[i]).toBe(received[i + 1]);
  expect(received[0]).toBeGreaterThan(10);
});

it('the demo turns passports on: finished goods have a public page', async () => {
  const shown = await eventually('the passport of the bags', async () => {
    const answer = await fetch(`${world.baseUrl}/01/09520123450014/10/RP262641`, { headers: { accept: 'application/json' } });
    return answer.status === 200 && ((await answer.json()) as Json);
  });
  expect(shown).toMatchObject({ passportStatus: 'active', product: { lot: 'RP262641' } });
});

it('the demo has the passport of a garment, and of a battery that links to the one of its first life', async () => {
  const read = (path: string): Promise<Json> =>
    eventually(path, async () => {
      const answer = await fetch(`${world.baseUrl}/v1/dppsByProductId/${encodeURIComponent(`https://id.gs1.org${path}`)}`);
      return answer.status === 200 ? ((await answer.json()) as Json) : undefined;
    });
  expect(await read('/01/09520423450011/10/JACKETS-202606')).toMatchObject({ granularity: 'batch', productName: expect.anything() });
  const first = await read('/01/09520323450012/21/PACK-000001');
  const second = await read('/01/09520323450012/21/STORE-000001');
  expect(second['previousPassports']).toEqual([first['digitalProductPassportId'], 'https://passports.example.org/4711']);
  expect(second).toMatchObject({ granularity: 'item', batteryModelIdentifier: 'EX-5-S' });
});

it('the demo has an FSMA 204 sheet that names critical tracking events, of rice and of seafood', async () => {
  const ctesOf = async (slug: string): Promise<unknown[]> => {
    const api = await world.admin(slug);
    const { rows } = await api.get<Json>('/api/v1/reports/fsma204?limit=1000');
    return [...new Set((rows as Json[]).map(({ cte }) => cte as unknown))];
  };
  expect(await ctesOf('rice')).toEqual(expect.arrayContaining(['harvesting', 'transformation', 'shipping', 'receiving']));
  expect(await ctesOf('seafood')).toEqual(
    expect.arrayContaining(['first_land_based_receiving', 'transformation', 'shipping', 'receiving']),
  );
});
