import { formatEther } from 'ethers';
import { Redis } from 'ioredis';
import { type Config, misspeltSettings } from '#config';
import { FileContentStore } from '#content-storage';
import { signerOf } from '#transactions';
import { contentOf } from '../../../runtime/src/index.js';
import { contentKeys, databases, recordedContents, recordedRegistry } from './database-doctor.js';
import { failing, fine, type Finding, reasonOf } from './finding.js';
import { disk, service } from './machine-doctor.js';
import { mail } from './mail-doctor.js';

const TIMEOUT_MS = 10_000;

/** Variables that are nearly settings. */
export const settings = (env: NodeJS.ProcessEnv): readonly Finding[] =>
  misspeltSettings(env).map((line) => failing('settings', line, 'Correct the name, or remove the variable.'));

/** Checks every configured engine, all at the same time; changes nothing. */
export async function examine(config: Config): Promise<readonly Finding[]> {
  const nodes = config.chain.node.kind === 'rpc' ? config.chain.node.urls : [];
  const database = config.database.kind === 'url' ? databases(config.database) : Promise.resolve([embedded('database')]);
  const findings = await Promise.all([
    database,
    keys(config),
    config.queue.kind === 'redis' ? redis(config.queue.url) : inDatabase('queue', database),
    chain(nodes, config),
    sponsor(nodes, config),
    contents(config, database),
    mail(config),
    disk(config),
    service(config),
  ]);
  return findings.flat();
}

/** Secrets that a development start has made are in its data folder, with the database. */
const keys = ({ database, secrets: { encryptionKey, retiredEncryptionKeys } }: Config): Promise<readonly Finding[]> | readonly Finding[] =>
  database.kind === 'url' && encryptionKey ? contentKeys(database.url, [encryptionKey, ...retiredEncryptionKeys]) : [];

const contents = (config: Config, database: Promise<readonly Finding[]>): Promise<Finding> => {
  const { content } = config;
  if (content.kind === 'kubo') return kubo(content);
  return content.kind === 'database' ? inDatabase('content', database) : files(config);
};

/** A few contents of recorded events are searched for: the folder of another service, or an empty one after a restore, has none of them. */
async function files(config: Config): Promise<Finding> {
  const found = 'files in the data folder';
  const engine = contentOf(config);
  const wanted = config.database.kind === 'url' && engine.kind === 'files' ? await recordedContents(config.database.url) : [];
  if (wanted.length === 0 || engine.kind !== 'files') return fine('content', found);
  try {
    const store = new FileContentStore(engine.folder);
    const blocks = await Promise.all(wanted.map((cid) => store.get(cid)));
    const missing = blocks.filter((block) => block === null).length;
    if (missing === 0) return fine('content', found);
    return failing(
      'content',
      `${missing} of ${wanted.length} contents of recorded events are not in ${engine.folder}`,
      'Restore the contents that belong to the database: see "Back up and recover". DATA_DIR must name their folder.',
    );
  } catch (error) {
    return failing('content', reasonOf(error), `The login of the service must own ${engine.folder}.`);
  }
}

/** What is stored in the database is as well as the database. */
async function inDatabase(engine: string, database: Promise<readonly Finding[]>): Promise<Finding> {
  const bad = (await database).find(({ engine: name, well }) => !well && name !== 'clock');
  if (!bad) return fine(engine, 'stored in the database');
  return failing(engine, 'stored in the database, which is not well', 'Mend the database first: its line says how.');
}

const embedded = (engine: string): Finding => fine(engine, 'embedded; the service starts it');

async function redis(url: string): Promise<Finding> {
  const client = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: () => null, connectTimeout: TIMEOUT_MS });
  client.on('error', () => undefined);
  try {
    const memory = await withinLimit(client.connect().then(() => client.info('memory')));
    const policy = /maxmemory_policy:(\S+)/.exec(memory)?.[1] ?? 'unknown';
    if (policy === 'noeviction') return fine('queue', 'Redis answers');
    return failing('queue', `Redis evicts (${policy})`, 'Set `maxmemory-policy noeviction`: an evicted job runs late.');
  } catch (error) {
    return failing('queue', reasonOf(error), 'Check that Redis runs, and that REDIS_URL has its address and password.');
  } finally {
    client.disconnect();
  }
}

/** The registry is looked for where the service looks: in the configuration, or else in the database. */
async function chain(
  nodes: readonly string[],
  { chain: { chainId, registry, accountFactory }, database }: Config,
): Promise<readonly Finding[]> {
  if (nodes.length === 0) return [embedded('chain')];
  // The embedded database does not run now, so what it has recorded is not known here.
  const known = registry ?? (database.kind === 'url' ? await recordedRegistry(database.url, chainId) : undefined);
  const findings = [
    ...(await Promise.all(nodes.map((url) => node(url, chainId, known ?? null, registry !== null)))),
    ...(accountFactory === null ? [] : await factory(nodes, accountFactory)),
  ];
  if (known !== null) return findings;
  const remedy =
    'Set CHAIN_REGISTRY to the address of the registry contract, or deploy it on a development chain: cli contracts --rpc-url <url>. ' +
    'Until then the indexer waits, and no tenant can be created.';
  return [...findings, failing('registry', `no registry contract is known on chain ${chainId}`, remedy)];
}

/** Nothing where no node answers: the lines of the nodes say so. */
async function factory(nodes: readonly string[], address: string): Promise<readonly Finding[]> {
  const codes = await Promise.all(nodes.map((url) => callNode(url, 'eth_getCode', address, 'latest').catch(() => undefined)));
  const expected = 'CHAIN_ACCOUNT_FACTORY must name the factory of passkey accounts on this chain; without it passkeys only sign in.';
  return codes.includes('0x') ? [failing('passkey accounts', `no contract at ${address}`, expected)] : [];
}

/** Nothing where the service starts the node, which gives the sponsor what it needs. */
async function sponsor(nodes: readonly string[], { sponsor: { signer } }: Config): Promise<readonly Finding[]> {
  const known = nodes.length > 0 && signerOf(signer);
  if (!known) return [];
  let address: string;
  try {
    address = await known.address();
  } catch (error) {
    return [failing('sponsor', reasonOf(error), 'Check its key: without it nothing is relayed for members who have no coins.')];
  }
  const balances = await Promise.all(nodes.map((url) => callNode(url, 'eth_getBalance', address, 'latest').catch(() => undefined)));
  const balance = balances.find((one) => one !== undefined);
  // The lines of the nodes say why none answers.
  if (balance === undefined) return [];
  if (BigInt(balance) > 0n) return [fine('sponsor', `${address} has ${formatEther(balance)} ether`)];
  return [failing('sponsor', `${address} has no coins`, 'Send it some: nothing is relayed before.')];
}

async function node(url: string, chainId: number, registry: string | null, configured: boolean): Promise<Finding> {
  const engine = `chain (${URL.canParse(url) ? new URL(url).host : 'no URL'})`;
  try {
    const result = await callNode(url, 'eth_chainId');
    if (result === undefined) return failing(engine, 'it answers, but not JSON-RPC', 'CHAIN_RPC_URLS must name JSON-RPC addresses.');
    if (Number(result) !== chainId)
      return failing(
        engine,
        `chain id ${Number(result)}`,
        `CHAIN_ID is ${chainId}: set it to the right chain, or use a node of that chain.`,
      );
    if (registry === null || (await callNode(url, 'eth_getCode', registry, 'latest')) !== '0x') return fine(engine, `chain id ${chainId}`);
    const remedy = configured
      ? 'CHAIN_REGISTRY must name the registry contract on this chain.'
      : 'The database has recorded it: it belongs to another chain with the same id, or that chain was started again from nothing. Set CHAIN_REGISTRY, or deploy it again: cli contracts --rpc-url <url>.';
    return failing(engine, `no contract at ${registry}`, remedy);
  } catch (error) {
    return failing(engine, reasonOf(error), 'Check that the node runs, and that CHAIN_RPC_URLS has its address and key.');
  }
}

/** For a client whose own limit ends with the connection. */
async function withinLimit<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('it accepts connections, but does not answer')), TIMEOUT_MS);
  });
  work.catch(() => undefined);
  return Promise.race([work, limit]).finally(() => clearTimeout(timer));
}

async function callNode(url: string, method: string, ...params: readonly string[]): Promise<string | undefined> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const { result } = (await post(url, { body, headers: { 'content-type': 'application/json' } })) as { result?: string };
  return result;
}

async function kubo({ url, authorization }: { readonly url: string; readonly authorization: string | null }): Promise<Finding> {
  try {
    const headers = authorization === null ? undefined : { authorization };
    const { Version } = (await post(new URL('/api/v0/version', url), { headers })) as { Version?: string };
    return fine('content', `Kubo ${Version ?? '(unknown version)'}`);
  } catch (error) {
    return failing(
      'content',
      reasonOf(error),
      'Check that Kubo runs, that KUBO_RPC_URL is its RPC address (port 5001), and that KUBO_AUTHORIZATION is right.',
    );
  }
}

async function post(url: string | URL, init: RequestInit): Promise<unknown> {
  const answer = await fetch(url, { method: 'POST', signal: AbortSignal.timeout(TIMEOUT_MS), ...init });
  if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
  return answer.json();
}
