import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmdirSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { JsonRpc } from '#chain';
import { startTestAnvil, type TestAnvil } from '#chain/testing';
import { Rpc } from '#client';
import { cloneTestDatabase, keepAsTemplate, type TestDatabase, testServer } from '#persistence/testing';
import { contexts } from '../../apps/runtime/src/index.js';
import { PATIENCE_MS } from './eventually.js';

interface Block {
  readonly number: string;
  readonly hash: string;
  readonly timestamp: string;
  readonly baseFeePerGas: string;
  readonly transactions: readonly string[];
}
interface MinedBlock extends Omit<Block, 'transactions'> {
  readonly raw: readonly string[];
}
interface SeededChain {
  readonly genesisTimestamp: number;
  readonly blocks: readonly MinedBlock[];
}

/** A database, a chain and a data folder with the demo's tenants in them, as the seed left them. */
export interface SeededEngines {
  readonly database: TestDatabase;
  readonly node: TestAnvil;
}

/** What a world starts on before anything is in it. */
export interface FreshWorld extends SeededEngines {
  readonly folder: string;
  /** Ends the service; its engines and its folder stay. */
  stop(): Promise<void>;
}

/** Names the folder in which the workers of a run share files; the global set-up makes it. */
const RUN_FOLDER_VARIABLE = 'TRACE_TEST_FOLDER';
/** Settings that change what the seed writes. */
const SEEDING = /^(CHAIN_|KUBO_|CONTENT_|REDIS_|DATA_DIR|ENCRYPTION|TOKEN_|SIGNING)/;
const DATABASE = 'seeded_world';
const FOLDER = 'seeded-world';
const CHAIN = 'seeded-chain.json';

/** Whether a world with these settings may start from the copy; not outside of a run of Jest. */
export const canCopySeed = (env: Readonly<Record<string, string>>): boolean =>
  process.env[RUN_FOLDER_VARIABLE] !== undefined && !Object.keys(env).some((name) => SEEDING.test(name));

/**
 * Engines of a world's own, copied from a world that was seeded once in this run: the contracts, people and process maps are always the
 * same. The chain is mined again block by block, so that every hash is the one that the database knows.
 * @param seed starts and seeds a world; called once a run
 * @param canReorg for a test that replaces blocks: the node that ships cannot
 */
export async function copySeededEngines(folder: string, seed: () => Promise<FreshWorld>, canReorg = false): Promise<SeededEngines> {
  const run = process.env[RUN_FOLDER_VARIABLE]!;
  if (!existsSync(join(run, CHAIN))) await once(run, seed);
  const chain = JSON.parse(readFileSync(join(run, CHAIN), 'utf8')) as SeededChain;
  cpSync(join(run, FOLDER), folder, { recursive: true });
  const [database, node] = await Promise.all([cloneTestDatabase(contexts, testServer(), DATABASE), mineAgain(chain, canReorg)]);
  return { database, node };
}

/** The workers of a run ask at once: one seeds, the others wait. */
async function once(run: string, seed: () => Promise<FreshWorld>): Promise<void> {
  const seeding = join(run, 'seeding');
  while (!existsSync(join(run, CHAIN))) {
    if (!made(seeding)) await sleep(50);
    else
      try {
        // Another worker may have finished between the two checks.
        if (!existsSync(join(run, CHAIN))) await keep(run, await seed());
      } finally {
        rmdirSync(seeding);
      }
  }
}

async function keep(run: string, world: FreshWorld): Promise<void> {
  await world.stop();
  const chain = await minedBy(world.node);
  await world.node.stop();
  await keepAsTemplate(world.database, DATABASE);
  renameSync(world.folder, join(run, FOLDER));
  // Last: who sees this file finds the rest, too.
  writeFileSync(join(run, `${CHAIN}.new`), JSON.stringify(chain));
  renameSync(join(run, `${CHAIN}.new`), join(run, CHAIN));
}

/** Whether this process made the folder, and no other one before it. */
function made(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

async function minedBy(node: TestAnvil): Promise<SeededChain> {
  const rpc = new Rpc(node.url);
  const blocks: MinedBlock[] = [];
  const at = (number: number): Promise<Block> => rpc.call<Block>('eth_getBlockByNumber', [`0x${number.toString(16)}`, false]);
  const head = Number(await rpc.call<string>('eth_blockNumber', []));
  for (let number = 1; number <= head; number++) {
    const { transactions, ...block } = await at(number);
    const raw = transactions.map((_, i) =>
      rpc.call<string>('eth_getRawTransactionByBlockHashAndIndex', [block.hash, `0x${i.toString(16)}`]),
    );
    const { number: own, hash, timestamp, baseFeePerGas } = block;
    blocks.push({ number: own, hash, timestamp, baseFeePerGas, raw: await Promise.all(raw) });
  }
  return { genesisTimestamp: Number((await at(0)).timestamp), blocks };
}

async function mineAgain({ genesisTimestamp, blocks }: SeededChain, canReorg: boolean): Promise<TestAnvil> {
  const node = await startTestAnvil({ genesisTimestamp, canReorg });
  const rpc = new JsonRpc({ urls: [node.url], timeoutMs: PATIENCE_MS, passes: 1 });
  await rpc.call('evm_setAutomine', [false]);
  await rpc.call('evm_setTime', [genesisTimestamp]);
  for (const { timestamp, baseFeePerGas, raw } of blocks) {
    await rpc.call('anvil_setNextBlockBaseFeePerGas', [baseFeePerGas]);
    for (const transaction of raw) await rpc.call('eth_sendRawTransaction', [transaction]);
    await rpc.call('evm_mine', [Number(timestamp)]);
  }
  const last = blocks.at(-1)!;
  // A block has the hash of the one before.
  const mined = await rpc.call<Block>('eth_getBlockByNumber', [last.number, false]);
  if (mined.hash !== last.hash) throw new Error(`Block ${Number(last.number)} of the seeded chain came out differently.`);
  await rpc.call('evm_setAutomine', [true]);
  await rpc.call('evm_setTime', [Math.floor(Date.now() / 1_000)]);
  return node;
}
