import { existsSync, readdirSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type Config, configFrom } from '#config';
import { type ContentStore, CorruptContent, DatabaseContentStore, FileContentStore, KuboContentStore } from '#content-storage';
import { UnitOfWork } from '#persistence';
import { RefusalToStart, contentOf } from '../../../runtime/src/index.js';
import { type NamedContent, namedContents } from '../named-contents.js';
import { asOperator } from '../operator.js';
import { gateway } from '../gateway.js';

type Say = (line: string) => void;
type Source = (cid: string) => Promise<Uint8Array | null>;

/** Contents that are looked for side by side. */
const AT_ONCE = 16;

/** A store of contents that lost some: what exactly, and back from wherever somebody has them. */
export function addContent(program: Command, say: Say): void {
  const content = program.command('content').description('the stored contents of events, process maps, declarations and recall notices');
  content
    .command('check')
    .description('look for every content that the database names; tells each that is missing or damaged, and exits with 1 where one is')
    .action(() => run(say, null));
  content
    .command('restore')
    .description('the same, and puts back what another place has; only bytes of the very content are taken')
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
        for (const { named, found } of await Promise.all(batch.slice(from, from + AT_ONCE).map((named) => look(store, source, named)))) {
          counts[found === 'whole' ? 'whole' : found === 'restored' ? 'restored' : 'lost']++;
          if (found !== 'whole') say(`${found.padEnd(8)}  ${named.cid}  ${named.tenant}  ${named.of}`);
        }
    say(`${counts.whole} whole, ${counts.restored} restored, ${counts.lost} missing or damaged.`);
    if (counts.lost > 0) process.exitCode = 1;
  });
}

type Found = 'whole' | 'restored' | 'missing' | 'damaged';

async function look(store: ContentStore, source: Source | null, named: NamedContent): Promise<{ named: NamedContent; found: Found }> {
  const state = await stateIn((cid) => store.get(cid), named.cid);
  if (state === 'whole' || source === null) return { named, found: state };
  const bytes = await source(named.cid);
  if (bytes === null) return { named, found: state };
  await store.put(bytes);
  return { named, found: 'restored' };
}

async function stateIn(read: Source, cid: string): Promise<'whole' | 'missing' | 'damaged'> {
  try {
    return (await read(cid)) === null ? 'missing' : 'whole';
  } catch (error) {
    if (error instanceof CorruptContent) return 'damaged';
    throw error;
  }
}

/** @throws RefusalToStart for what is neither a folder of contents nor an address */
function sourceOf(place: string): Source {
  if (/^https?:\/\//.test(place) && URL.canParse(place)) return gateway(place);
  const folder = resolve(place);
  if (!existsSync(folder) || !statSync(folder).isDirectory())
    throw new RefusalToStart(`${place} is neither a folder nor an address that begins with http:// or https://.`);
  if (readdirSync(folder).length === 0) throw new RefusalToStart(`${place} is an empty folder.`);
  const copy = new FileContentStore(folder);
  return async (cid) => ((await stateIn((one) => copy.get(one), cid)) === 'whole' ? copy.get(cid) : null);
}

function storeOf(config: Config, unitOfWork: UnitOfWork): ContentStore {
  const engine = contentOf(config);
  if (engine.kind === 'files') return new FileContentStore(engine.folder);
  return engine.kind === 'kubo' ? new KuboContentStore(engine) : new DatabaseContentStore(unitOfWork);
}
