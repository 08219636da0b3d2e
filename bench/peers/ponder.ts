import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { tenantLotsAbi } from '#contracts';
import type { PostgresEndpoint } from '#persistence';
import { processorTime } from '../processor-time.js';

/** The two that the handlers follow. */
const EVENTS = (tenantLotsAbi as readonly { readonly type: string; readonly name?: string }[]).filter(
  ({ type, name }) => type === 'event' && (name === 'EventRecorded' || name === 'LotMinted'),
);
/** It is no dependency of the service: it is fetched into a cache when it is measured. */
const PACKAGES = ['ponder@0.16.10', 'viem@2.47.0', 'hono@4.10.0', 'typescript@5.9.3'];
const CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'traceability-service/peers/ponder');
const LONGEST_MS = 600_000;

export interface PonderRun {
  readonly rpcUrl: string;
  readonly chainId: number;
  readonly contract: string;
  readonly from: number;
  readonly to: number;
  readonly endpoint: PostgresEndpoint;
}

export interface PonderCost {
  readonly seconds: number;
  /** Of all processes that this one started. */
  readonly processor: number;
  readonly rows: number;
}

/** From the start of its program, which opens a fresh database, until the last of the rows is there. */
export async function indexWithPonder({ endpoint, ...run }: PonderRun, logs: number): Promise<PonderCost> {
  fetchPonder();
  const folder = mkdtempSync(join(CACHE, 'project-'));
  const client = new Client({ ...endpoint });
  await client.connect();
  const schema = `ponder_${Date.now()}`;
  writeProject(folder, run);
  const port = await freePort();
  const [processor, begun] = [processorTime(), performance.now()];
  const child = spawn(
    process.execPath,
    [join(CACHE, 'node_modules/ponder/dist/esm/bin/ponder.js'), 'start', '--schema', schema, '--port', String(port)],
    {
      cwd: folder,
      env: { ...process.env, DATABASE_URL: urlOf(endpoint), PONDER_TELEMETRY_DISABLED: 'true', NODE_ENV: 'production' },
      stdio: ['ignore', process.env['PEERS_LOUD'] ? 'inherit' : 'ignore', 'inherit'],
    },
  );
  try {
    const rows = await allRows(client, schema, logs, child, begun);
    return { seconds: (performance.now() - begun) / 1000, processor: processorTime() - processor, rows };
  } finally {
    child.kill('SIGKILL');
    await client.query(`drop schema if exists ${schema} cascade`).catch(() => undefined);
    await client.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function allRows(client: Client, schema: string, logs: number, child: ChildProcess, begun: number): Promise<number> {
  const count = `select (select count(*) from ${schema}.event) + (select count(*) from ${schema}.lot) as n`;
  while (performance.now() - begun < LONGEST_MS) {
    if (child.exitCode !== null) throw new Error(`ponder ended with ${child.exitCode}`);
    // Until it has made its tables there is nothing to count.
    const found = await client.query<{ n: string }>(count).catch(() => null);
    if (found && Number(found.rows[0]!.n) >= logs) return Number(found.rows[0]!.n);
    await pause(100);
  }
  throw new Error(`ponder has not indexed ${logs} logs in ${LONGEST_MS / 1000} s`);
}

function fetchPonder(): void {
  if (existsSync(join(CACHE, 'node_modules/ponder'))) return;
  mkdirSync(CACHE, { recursive: true });
  const npm = process.env['npm_execpath'] ? [process.execPath, process.env['npm_execpath']] : ['npm'];
  const install = ['install', '--prefix', CACHE, '--no-save', '--no-audit', '--no-fund', '--loglevel=error', ...PACKAGES];
  spawnSync(npm[0]!, [...npm.slice(1), ...install], { stdio: ['ignore', 'ignore', 'inherit'] });
  if (!existsSync(join(CACHE, 'node_modules/ponder'))) throw new Error('ponder could not be fetched.');
}

/** One row for each log, by its handler, as its guide writes them. */
function writeProject(folder: string, { rpcUrl, chainId, contract, from, to }: Omit<PonderRun, 'endpoint'>): void {
  const source = join(folder, 'src');
  mkdirSync(source);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'peer', type: 'module' }));
  writeFileSync(
    join(folder, 'ponder.config.ts'),
    `import { createConfig } from 'ponder';
const abi = [
${EVENTS.map((event) => `  ${JSON.stringify(event)},`).join('\n')}
] as const;
export default createConfig({
  chains: { node: { id: ${chainId}, rpc: '${rpcUrl}', disableCache: true } },
  contracts: { Lots: { abi, chain: 'node', address: '${contract}', startBlock: ${from}, endBlock: ${to} } },
});
`,
  );
  writeFileSync(
    join(folder, 'ponder.schema.ts'),
    `import { onchainTable } from 'ponder';
export const event = onchainTable('event', (t) => ({ id: t.text().primaryKey(), processId: t.hex(), actor: t.hex(), dataHash: t.hex(), inputs: t.bigint().array(), block: t.bigint(), at: t.bigint(), tx: t.hex() }));
export const lot = onchainTable('lot', (t) => ({ tokenId: t.bigint().primaryKey(), tlcHash: t.hex(), assetType: t.hex(), custodian: t.hex(), quantity: t.bigint(), expiresAt: t.bigint(), block: t.bigint(), tx: t.hex() }));
`,
  );
  writeFileSync(
    join(source, 'index.ts'),
    `import { ponder } from 'ponder:registry';
import { event as events, lot } from 'ponder:schema';
ponder.on('Lots:EventRecorded', async ({ event, context }) => {
  const { eventId, processId, actor, dataHash, inputTokenIds } = event.args;
  await context.db.insert(events).values({ id: eventId, processId, actor, dataHash, inputs: [...inputTokenIds], block: event.block.number, at: event.block.timestamp, tx: event.transaction.hash });
});
ponder.on('Lots:LotMinted', async ({ event, context }) => {
  const { tokenId, tlcHash, assetType, custodian, quantity, expiresAt } = event.args;
  await context.db.insert(lot).values({ tokenId, tlcHash, assetType, custodian, quantity, expiresAt: BigInt(expiresAt), block: event.block.number, tx: event.transaction.hash });
});
`,
  );
  mkdirSync(join(source, 'api'));
  writeFileSync(join(source, 'api/index.ts'), `import { Hono } from 'hono';\nexport default new Hono();\n`);
}

const urlOf = ({ host, port, user, database }: PostgresEndpoint): string =>
  `postgres://${user}@/${database}?host=${encodeURIComponent(host)}&port=${port}`;

function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    }),
  );
}
