import { join } from 'node:path';
import { type ChainNode, type JsonRpc, openChainNode } from '#chain';
import type { ChainConfig, Config } from '#config';
import type { ContentEngine } from '#content-storage';
import { type PostgresEndpoint, describeEndpoint, endpointFromUrl, migrate, startEmbeddedPostgres } from '#persistence';
import type { QueueEngine } from '#queue';
import { closeAll } from './close-all.js';
import { contexts } from './contexts.js';
import { isFree } from './port.js';
import { RefusalToStart } from './refusal-to-start.js';

const USUAL_CHAIN_PORT = 8_545;

/** The engines that this process works with, each of the kind that the configuration chose, migrated and ready. */
export interface Engines {
  readonly database: PostgresEndpoint;
  readonly queue: QueueEngine;
  readonly content: ContentEngine;
  readonly chain: { readonly node: ChainNode; readonly rpc: JsonRpc };
  /** Stops what was started here; safe to call twice. */
  close(): Promise<void>;
}

type Say = (line: string) => void;

/** @throws RefusalToStart and the engines' own sentences */
export async function startEngines(config: Config, say: Say): Promise<Engines> {
  const closers: (() => Promise<void>)[] = [];
  const close = (): Promise<void> => closeAll(closers.splice(0).toReversed());
  try {
    // Both are other processes that take a second to come up: side by side.
    const [database, chain] = await settleAll([startDatabase(config, say, closers), startChain(config, say, closers)]);
    return { database, chain, queue: queueOf(config, database), content: contentOf(config), close };
  } catch (error) {
    await close().catch(() => undefined); // why it did not start says more
    throw error;
  }
}

async function startDatabase(config: Config, say: Say, closers: (() => Promise<void>)[]): Promise<PostgresEndpoint> {
  if (config.database.kind === 'url') {
    const { url, migrationUrl } = config.database;
    const at = endpointFromUrl(migrationUrl);
    await migrate(at, contexts).catch((error: unknown) => {
      throw unreachable(error, at, migrationUrl === url ? 'DATABASE_URL' : 'DATABASE_MIGRATION_URL');
    });
    return endpointFromUrl(url);
  }
  say('Starting PostgreSQL');
  const server = await startEmbeddedPostgres({ dataDir: join(config.dataDir, 'postgres') });
  closers.push(() => server.stop());
  server.onExit((fault) => say(`PostgreSQL ended and is started again: ${fault.message.split('\n', 1)[0]}`));
  const applied = await migrate(server.endpoint, contexts);
  if (applied.length > 0) say(`Migrated the database (${applied.length} steps)`);
  return server.endpoint;
}

/** Nobody listens, or nobody is found; no such login, its password is another, it may not come in, no such database. */
const LETS_NOBODY_IN = 'ECONNREFUSED ECONNRESET ETIMEDOUT EHOSTUNREACH ENETUNREACH ENOTFOUND EAI_AGAIN 28P01 28000 3D000'.split(' ');

/** A database that lets nobody in, in a sentence that names the setting and no password; any other fault stays as it is. */
function unreachable(error: unknown, at: PostgresEndpoint, setting: string): unknown {
  const { code = '', message } = error as { code?: string; message: string };
  if (!LETS_NOBODY_IN.includes(code)) return error;
  return new RefusalToStart(
    `The database ${describeEndpoint(at)} cannot be used: ${message || code}. ` +
      `See that it runs, and that ${setting} has its address, login, password and database.`,
  );
}

async function startChain(config: Config, say: Say, closers: (() => Promise<void>)[]): Promise<Engines['chain']> {
  if (config.chain.node.kind === 'embedded') say('Starting the EVM node');
  const chain = await openChainNode(await withChainPort(config.chain), config.dataDir, say);
  closers.push(() => chain.node.close());
  return chain;
}

/** The usual port of a local chain where nobody has it: clients find the chain at the same address after a restart. */
async function withChainPort(config: ChainConfig): Promise<ChainConfig> {
  if (config.node.kind === 'rpc' || config.node.port !== null || !(await isFree('127.0.0.1', USUAL_CHAIN_PORT))) return config;
  return { ...config, node: { kind: 'embedded', port: USUAL_CHAIN_PORT } };
}

/** Like Promise.all, but waits for all, so that what came up late can be closed too. */
async function settleAll<A, B>(started: readonly [Promise<A>, Promise<B>]): Promise<[A, B]> {
  const settled = await Promise.allSettled(started);
  const failed = settled.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  return settled.map((result) => (result as PromiseFulfilledResult<A | B>).value) as [A, B];
}

const queueOf = (config: Config, at: PostgresEndpoint): QueueEngine =>
  config.queue.kind === 'redis' ? config.queue : { kind: 'database', at };

export function contentOf(config: Config): ContentEngine {
  if (config.content.kind === 'files') return { kind: 'files', folder: join(config.dataDir, 'content') };
  return config.content;
}

/** One line an engine, for the start screen. */
export function describeEngines(config: Config, { chain }: Engines): readonly string[] {
  return [
    `database   ${config.database.kind === 'embedded' ? 'PostgreSQL 18, embedded' : 'PostgreSQL at DATABASE_URL'}`,
    `queue      ${config.queue.kind === 'redis' ? 'BullMQ on Redis at REDIS_URL' : 'BullMQ on the database'}`,
    `chain      ${config.chain.node.kind === 'embedded' ? `EVM node, embedded, ${chain.node.urls[0]}` : `JSON-RPC at ${chain.node.urls.length} URL(s)`}, chain id ${config.chain.chainId}`,
    `webhooks   private networks allowed: ${config.webhooks.allowedNetworks.join(', ') || 'none'}`,
    `content    ${{ files: 'files in the data folder', database: 'in the database', kubo: 'IPFS node at KUBO_RPC_URL' }[config.content.kind]}`,
  ];
}
