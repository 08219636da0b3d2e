import { Redis } from 'ioredis';
import type { Config } from '#config';
import { MigrationRefused, endpointFromUrl, migrationState } from '#persistence';
import { contexts } from '../../../runtime/src/index.js';

/** What was found of one engine; `remedy` says what to do where it is not well. */
export interface Finding {
  readonly engine: string;
  readonly well: boolean;
  readonly found: string;
  readonly remedy?: string;
}

const PATIENCE_MS = 10_000;
const LEAST_POSTGRES = 150_000;

/** Asks every engine that the configuration names, side by side; changes nothing. */
export async function examine(config: Config): Promise<readonly Finding[]> {
  const nodes = config.chain.node.kind === 'rpc' ? config.chain.node.urls : [];
  return Promise.all([
    ...(config.database.kind === 'url' ? databases(config.database) : [embedded('database')]),
    config.queue.kind === 'redis' ? redis(config.queue.url) : { engine: 'queue', well: true, found: 'kept in the database' },
    ...(nodes.length > 0 ? nodes.map((url) => node(url, config.chain)) : [embedded('chain')]),
    config.content.kind === 'kubo' ? kubo(config.content) : { engine: 'content', well: true, found: `kept in ${config.content.kind}` },
  ]);
}

const embedded = (engine: string): Finding => ({ engine, well: true, found: 'embedded; the service starts it' });
const ill = (engine: string, found: string, remedy: string): Finding => ({ engine, well: false, found, remedy });
const said = (error: unknown): string => (error as { code?: string }).code ?? ((error as Error).message || 'no answer');

/** With two logins each is tried: the one that migrates may be well while the one that serves is shut out. */
function databases({ url, migrationUrl }: { readonly url: string; readonly migrationUrl: string }): readonly Promise<Finding>[] {
  const serving = database('database', url, 'DATABASE_URL');
  return migrationUrl === url ? [serving] : [serving, database('database, migrating', migrationUrl, 'DATABASE_MIGRATION_URL')];
}

async function database(engine: string, url: string, setting: string): Promise<Finding> {
  try {
    const { serverVersion, pending } = await migrationState(endpointFromUrl(url), contexts);
    const found = `PostgreSQL ${Math.floor(serverVersion / 10_000)}, ${pending.length} migrations to apply`;
    if (serverVersion >= LEAST_POSTGRES) return { engine, well: true, found };
    return ill(engine, found, 'Use PostgreSQL 15 or newer.');
  } catch (error) {
    if (error instanceof MigrationRefused) return ill(engine, error.message, 'The sentence says which version to start.');
    return ill(engine, said(error), `See that the server runs, and that ${setting} has its address, login, password and database.`);
  }
}

async function redis(url: string): Promise<Finding> {
  const client = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: () => null, connectTimeout: PATIENCE_MS });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const policy = /maxmemory_policy:(\S+)/.exec(await client.info('memory'))?.[1] ?? 'unknown';
    if (policy === 'noeviction') return { engine: 'queue', well: true, found: 'Redis answers' };
    return ill('queue', `Redis evicts (${policy})`, 'Set `maxmemory-policy noeviction`: an evicted job wakes nobody until the next sweep.');
  } catch (error) {
    return ill('queue', said(error), 'See that Redis runs, and that REDIS_URL has its address and password.');
  } finally {
    client.disconnect();
  }
}

async function node(url: string, { chainId, registry }: Config['chain']): Promise<Finding> {
  const engine = `chain (${URL.canParse(url) ? new URL(url).host : 'no URL'})`;
  try {
    const result = await called(url, 'eth_chainId');
    if (result === undefined) return ill(engine, 'it answers, but not JSON-RPC', 'CHAIN_RPC_URLS must name JSON-RPC addresses.');
    if (Number(result) === chainId && registry !== null && (await called(url, 'eth_getCode', registry, 'latest')) === '0x')
      return ill(engine, `nothing at ${registry}`, 'CHAIN_REGISTRY must name the registry contract on this chain.');
    if (Number(result) === chainId) return { engine, well: true, found: `chain id ${chainId}` };
    return ill(
      engine,
      `chain id ${Number(result)}`,
      `CHAIN_ID is ${chainId}: set it to the chain that is meant, or name a node of that chain.`,
    );
  } catch (error) {
    return ill(engine, said(error), 'See that the node runs and that CHAIN_RPC_URLS has its address and key.');
  }
}

async function called(url: string, method: string, ...params: readonly string[]): Promise<string | undefined> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const { result } = (await asked(url, { body, headers: { 'content-type': 'application/json' } })) as { result?: string };
  return result;
}

async function kubo({ url, authorization }: { readonly url: string; readonly authorization: string | null }): Promise<Finding> {
  try {
    const headers = authorization === null ? undefined : { authorization };
    const { Version } = (await asked(new URL('/api/v0/version', url), { headers })) as { Version?: string };
    return { engine: 'content', well: true, found: `Kubo ${Version ?? 'of no told version'}` };
  } catch (error) {
    return ill(
      'content',
      said(error),
      'See that Kubo runs, that KUBO_RPC_URL is its RPC address (port 5001) and that KUBO_AUTHORIZATION opens it.',
    );
  }
}

async function asked(url: string | URL, init: RequestInit): Promise<unknown> {
  const answer = await fetch(url, { method: 'POST', signal: AbortSignal.timeout(PATIENCE_MS), ...init });
  if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
  return answer.json();
}
