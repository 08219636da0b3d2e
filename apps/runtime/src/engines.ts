import { join } from 'node:path';
import { type ChainNode, type JsonRpc, openChainNode } from '#chain';
import type { ChainConfig, Config } from '#config';
import type { ContentEngine } from '#content-storage';
import {
  DatabaseUnusable,
  type EmbeddedPostgres,
  endpointFromUrl,
  migrate,
  type PostgresEndpoint,
  startEmbeddedPostgres,
} from '#persistence';
import type { QueueEngine } from '#queue';
import { type Closer, closeAll } from './close-all.js';
import { contexts } from './contexts.js';
import { fundSponsor } from './fund-sponsor.js';
import { isFree } from './port.js';
import { OperatorError } from './operator-error.js';

const USUAL_CHAIN_PORT = 8_545;

/** The engines of this process, as configured, migrated and ready. */
export interface Engines {
  readonly database: PostgresEndpoint;
  /** The same without a pooler between. */
  readonly directDatabase: PostgresEndpoint;
  readonly queue: QueueEngine;
  readonly content: ContentEngine;
  readonly chain: { readonly node: ChainNode; readonly rpc: JsonRpc };
  /** Stops the engines that were started here; safe to call twice. */
  close(): Promise<void>;
}

type Say = (line: string) => void;

/** @throws OperatorError, the engines' own messages, and when `stopping`, after closing what was started */
export async function startEngines(config: Config, say: Say, stopping?: AbortSignal): Promise<Engines> {
  const closers: Closer[] = [];
  const close = (): Promise<void> => closeAll(closers.splice(0).toReversed());
  try {
    // Both are other processes that need a second to start, so they start at the same time.
    const [database, chain] = await settleAll([startDatabase(config, say, closers), startChain(config, say, closers)]);
    stopping?.throwIfAborted();
    const directDatabase = config.database.kind === 'url' ? endpointFromUrl(config.database.directUrl) : database;
    return { database, directDatabase, chain, queue: queueOf(config, directDatabase), content: contentOf(config), close };
  } catch (error) {
    await close().catch(() => undefined); // the reason why it did not start is more useful
    throw error;
  }
}

/** Longer than migrations of an empty database take. */
const WAITING_MS = 15_000;

async function startDatabase(config: Config, say: Say, closers: Closer[]): Promise<PostgresEndpoint> {
  if (config.database.kind === 'url') {
    const { url, migrationUrl } = config.database;
    const setting = settingOf(config.database, migrationUrl);
    const waiting = setTimeout(() => say('Waiting for the database: another process migrates it, or it does not answer'), WAITING_MS);
    try {
      await migrate(endpointFromUrl(migrationUrl), contexts);
    } catch (error) {
      throw unusableBy(setting, error);
    } finally {
      clearTimeout(waiting);
    }
    return endpointFromUrl(url);
  }
  say('Starting PostgreSQL');
  const server = await startEmbeddedPostgres({ dataDir: join(config.dataDir, 'postgres') });
  closers.push(['PostgreSQL', () => server.stop()]);
  sayFaults(server, say);
  const applied = await migrate(server.endpoint, contexts);
  if (applied.length > 0) say(`Migrated the database (${applied.length} migrations)`);
  return server.endpoint;
}

/** A fault that lasts, such as a full disk, ends each restart in the same way: it is said once, and so is its end. */
function sayFaults(server: EmbeddedPostgres, say: (line: string) => void): void {
  let said: string | null = null;
  server.onExit(({ message }) => {
    const fault = message.split('\n', 1)[0]!;
    if (fault !== said) say(`PostgreSQL stopped and is restarted: ${fault}`);
    said = fault;
  });
  server.onRestart(() => {
    said = null;
    say('PostgreSQL runs again');
  });
}

/** The setting that an address of the database comes from. */
export const settingOf = ({ url, directUrl }: DatabaseAt, address: string): string =>
  address === url ? 'DATABASE_URL' : address === directUrl ? 'DATABASE_DIRECT_URL' : 'DATABASE_MIGRATION_URL';

type DatabaseAt = Config['database'] & { readonly kind: 'url' };

/** Names the setting of a database that cannot be used. Any other fault is returned unchanged. */
export function unusableBy(setting: string, error: unknown): unknown {
  if (!(error instanceof DatabaseUnusable)) return error;
  const remedy =
    error.code === '42501'
      ? `Its login lacks a right: with ${setting} use the one that owns the database, or have an administrator create the schemas.`
      : error.code?.startsWith('53') === true
        ? 'Free what it lacks, and start again.'
        : `Check that it runs, and that ${setting} has its address, login, password and database.`;
  return new OperatorError(`${error.message} ${remedy}`, { cause: error });
}

async function startChain(config: Config, say: Say, closers: Closer[]): Promise<Engines['chain']> {
  if (config.chain.node.kind === 'embedded') say('Starting the EVM node');
  const chain = await openChainNode(await withChainPort(config.chain), config.dataDir, say);
  closers.push(['the EVM node', () => chain.node.close()]);
  if (config.chain.node.kind === 'embedded') await fundSponsor(chain.rpc, config.sponsor, say);
  return chain;
}

/** The usual port of a local chain, if it is free, so that clients find the chain at the same address after a restart. */
async function withChainPort(config: ChainConfig): Promise<ChainConfig> {
  if (config.node.kind === 'rpc' || config.node.port !== null || !(await isFree('127.0.0.1', USUAL_CHAIN_PORT))) return config;
  return { ...config, node: { kind: 'embedded', port: USUAL_CHAIN_PORT } };
}

/** Like Promise.all, but waits for all, so that an engine that started late can be closed too. */
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

/** One line per engine, for the start screen. */
export function describeEngines(config: Config, { chain }: Engines): readonly string[] {
  return [
    `database   ${config.database.kind === 'embedded' ? 'PostgreSQL 18, embedded' : 'PostgreSQL at DATABASE_URL'}`,
    `queue      ${config.queue.kind === 'redis' ? 'BullMQ on Redis at REDIS_URL' : 'BullMQ on the database'}`,
    `chain      ${config.chain.node.kind === 'embedded' ? `EVM node, embedded, ${chain.node.urls[0]}` : `JSON-RPC at ${chain.node.urls.length} URL(s)`}, chain id ${config.chain.chainId}`,
    `webhooks   private networks allowed: ${config.webhooks.allowedNetworks.join(', ') || 'none'}`,
    `content    ${{ files: 'files in the data folder', database: 'in the database', kubo: 'IPFS node at KUBO_RPC_URL' }[config.content.kind]}`,
  ];
}

/** Embedded engines belong to one process; several processes share engines by URL. @throws OperatorError */
export function requireSharedEngines(config: Config): void {
  if (config.role === 'all') return;
  const embedded = [
    ...(config.database.kind === 'embedded' ? ['DATABASE_URL'] : []),
    ...(config.chain.node.kind === 'embedded' ? ['CHAIN_RPC_URLS'] : []),
    ...(config.content.kind === 'files' ? ['KUBO_RPC_URL (or CONTENT_STORE=database)'] : []),
  ];
  if (embedded.length > 0)
    throw new OperatorError(
      `ROLE=${config.role} shares its engines with other processes. Set ${embedded.join(', ')}, or run everything in one process with ROLE=all.`,
    );
}
