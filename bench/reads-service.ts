import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { DemoService } from './demo-service.js';

/** What a checkout's service is asked, in a process of its own. */
export interface ReadService {
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The data folder, by which its PostgreSQL is found. */
  readonly folder: string;
  readonly lot: number;
  readonly event: string;
  readonly lots: readonly object[];
  /** Null in a checkout of which only the reads are compared. */
  readonly bareUrl: string | null;
}

/** `node reads-service.js <root of a checkout> [bare]`: starts its service with the demo's rice chain, and ends with its parent. */
const [root, bare] = process.argv.slice(2) as [string, string?];
const load = async <T>(file: string): Promise<T> => (await import(pathToFileURL(join(root, 'dist', file)).href)) as T;
const { withDemoService } = await load<typeof import('./demo-service.js')>('bench/demo-service.js');
const { readDemoFile } = await load<typeof import('../apps/cli/src/demo/demo-file.js')>('apps/cli/src/demo/demo-file.js');
const { playScenario } = await load<typeof import('../apps/cli/src/demo/play-scenario.js')>('apps/cli/src/demo/play-scenario.js');
const { readScenario } = await load<typeof import('../apps/cli/src/demo/scenario.js')>('apps/cli/src/demo/scenario.js');
const ended = new Promise((resolve) => process.once('disconnect', resolve));

await withDemoService('reads', async (demo) => {
  const { service, tenant, folder } = demo;
  await playScenario(readDemoFile(folder)!, tenant, readScenario(tenant.slug), () => undefined);
  const { baseUrl } = service;
  const login = await fetch(`${baseUrl}/api/v2/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: tenant.admin.email, password: tenant.admin.password, tenantId: tenant.slug }),
  });
  const { accessToken } = (await login.json()) as { accessToken: string };
  const headers = { authorization: `Bearer ${accessToken}`, 'accept-encoding': 'identity' };
  const list = async <T>(path: string): Promise<T[]> =>
    ((await (await fetch(`${baseUrl}/api/v1/${path}`, { headers })).json()) as { data: T[] }).data;
  const lots = await list<{ tokenId: number }>('nfts?limit=20');
  const events = await list<{ id: string }>('events?limit=20');
  const said: ReadService = {
    ...{ baseUrl, headers, folder, lots, lot: lots[0]!.tokenId, event: events[0]!.id },
    bareUrl: bare === undefined ? null : await startBare(demo, lots),
  };
  process.send!(said);
  await ended;
});
process.exit(0);

async function startBare(demo: DemoService, lots: readonly object[]): Promise<string> {
  const { startBareReads } = await import('./reads-bare.js');
  return startBareReads(demo, lots);
}
