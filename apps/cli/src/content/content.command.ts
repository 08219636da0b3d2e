import { existsSync, readdirSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { configFrom } from '#config';
import { type ContentStore, CorruptContent, FileContentStore } from '#content-storage';
import { UnitOfWork } from '#persistence';
import { OperatorError } from '../../../runtime/src/index.js';
import { storeOf } from './content-store.js';
import { type NamedContent, namedContents } from './named-contents.js';
import { asOperator } from '../operator.js';
import { gateway } from './ipfs-gateway.js';

type Say = (line: string) => void;
type Source = (cid: string) => Promise<Uint8Array | null>;

/** Contents that are checked at the same time. */
const AT_ONCE = 16;

/** For a content store that lost contents: which ones, and how to restore them from a copy. */
export function addContent(program: Command, say: Say): void {
  const content = program.command('content').description('the stored contents of events, process maps, declarations and recall notices');
  content
    .command('check')
    .description('check every content that the database refers to; lists each one that is missing or damaged, and then exits with 1')
    .action(() => run(say, null));
  content
    .command('restore')
    .description('check, and restore what another place has; only content with the right hash is accepted')
    .requiredOption('--from <place>', 'folder of a copy of the file store, or address of an IPFS gateway (https://ipfs.example)')
    .action(({ from }: { from: string }) => run(say, sourceOf(from)));
}

async function run(say: Say, source: Source | null): Promise<void> {
  await asOperator(configFrom(process.env), async (app, config) => {
    const unitOfWork = app.get(UnitOfWork);
    const store = storeOf(config, unitOfWork);
    await store.check();
    const counts = { whole: 0, restored: 0, lost: 0 };
    for await (const batch of namedContents(unitOfWork))
      for (let from = 0; from < batch.length; from += AT_ONCE)
        for (const { named, state } of await Promise.all(batch.slice(from, from + AT_ONCE).map((one) => examine(store, source, one)))) {
          counts[state === 'whole' || state === 'restored' ? state : 'lost']++;
          if (state !== 'whole') say(`${state.padEnd(8)}  ${named.cid}  ${named.tenant}  ${named.of}`);
        }
    say(`${counts.whole} whole, ${counts.restored} restored, ${counts.lost} missing or damaged.`);
    if (counts.lost > 0) process.exitCode = 1;
  });
}

type State = 'whole' | 'restored' | 'missing' | 'damaged';

async function examine(store: ContentStore, source: Source | null, named: NamedContent): Promise<{ named: NamedContent; state: State }> {
  const state = await stateIn((cid) => store.get(cid), named.cid);
  if (state === 'whole' || source === null) return { named, state };
  const bytes = await source(named.cid);
  if (bytes === null) return { named, state };
  await store.put(bytes);
  return { named, state: 'restored' };
}

async function stateIn(read: Source, cid: string): Promise<'whole' | 'missing' | 'damaged'> {
  try {
    return (await read(cid)) === null ? 'missing' : 'whole';
  } catch (error) {
    if (error instanceof CorruptContent) return 'damaged';
    throw error;
  }
}

/** @throws OperatorError for a place that is neither a folder of contents nor an address */
function sourceOf(place: string): Source {
  if (/^https?:\/\//.test(place) && URL.canParse(place)) return gateway(place);
  const folder = resolve(place);
  if (!existsSync(folder) || !statSync(folder).isDirectory())
    throw new OperatorError(`${place} is neither a folder nor an address that begins with http:// or https://.`);
  if (readdirSync(folder).length === 0) throw new OperatorError(`${place} is an empty folder.`);
  const copy = new FileContentStore(folder);
  return async (cid) => ((await stateIn((one) => copy.get(one), cid)) === 'whole' ? copy.get(cid) : null);
}
