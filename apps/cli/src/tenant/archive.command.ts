import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { configFrom } from '#config';
import { type ErasureEntry, ErasureLog } from '#sealed-contents';
import { OperatorError } from '../../../runtime/src/index.js';
import { asOperator } from '../operator.js';
import { passphraseGiven } from './archive-keys.js';
import { restoreArchive } from './restore-archive.js';
import { writeArchive } from './write-archive.js';

interface ArchiveOptions {
  readonly to: string;
  readonly contents: boolean;
  readonly keys: boolean;
}

/** A tenant that moves to another service on the same chain. */
export function addTenantArchive(tenant: Command, say: (line: string) => void): void {
  tenant
    .command('archive <slug>')
    .description(
      'write everything of a tenant that is not on chain into one file: contents, documents, members, settings and keys, sealed by TRACE_ARCHIVE_PASSPHRASE',
    )
    .requiredOption('--to <file>', 'a new file')
    .option('--without-contents', 'for a service with the same content store')
    .option('--without-keys', 'what contents seal stays closed on the other service')
    .action((slug: string, options: { to: string; withoutContents?: true; withoutKeys?: true }) => archive(slug, optionsOf(options), say));
  tenant
    .command('restore <file>')
    .description('read such a file into this service, which follows the same chain and registry; then run `chain reindex`')
    .option(
      '--erasures <file>',
      'the newest erasure log of the service that wrote it (erasures.jsonl in ERASURE_DIR): what was erased since is erased here at the next start',
    )
    .action((file: string, { erasures }: { erasures?: string }) => restore(file, erasures, say));
}

const optionsOf = ({ to, withoutContents, withoutKeys }: { to: string; withoutContents?: true; withoutKeys?: true }): ArchiveOptions => ({
  to,
  contents: withoutContents !== true,
  keys: withoutKeys !== true,
});

async function archive(slug: string, { to, contents, keys }: ArchiveOptions, say: (line: string) => void): Promise<void> {
  const passphrase = passphraseGiven();
  await asOperator(configFrom(process.env), async (app, config) => {
    const made = await writeArchive(app, config, { slug, path: to, passphrase, withContents: contents, withKeys: keys });
    const rows = made.tables.reduce((sum, table) => sum + table.rows, 0);
    say(
      `${to} has ${rows} rows, ${made.contents.held} contents and ${made.keys === null ? 'no keys' : `the keys of ${made.keys} contents`}.`,
    );
    if (made.contents.missing > 0) say(`${made.contents.missing} contents are missing in the content store, and in the archive.`);
  });
}

async function restore(file: string, erasures: string | undefined, say: (line: string) => void): Promise<void> {
  const passphrase = passphraseGiven();
  const erased = erasures === undefined ? [] : readErasures(erasures);
  await asOperator(configFrom(process.env), async (app, config) => {
    const { manifest, added } = await restoreArchive(app, config, { path: file, passphrase, erased });
    const { tenant, contents } = manifest;
    if (erasures !== undefined) {
      const count = added === 1 ? '1 erasure of' : `${added} erasures of`;
      say(
        `${count} ${tenant.slug} ${added === 1 ? 'was' : 'were'} added to the erasure log. Restart the service now: it erases the values before it opens.`,
      );
    }
    say(
      `${tenant.slug} is here, with ${contents.held} contents. Run \`cli chain reindex\` now: it reads the lots and events of the tenant from the chain.`,
    );
    say(
      'Its members have no passwords here: they ask for a link, or `cli user link <email>` prints one. Make API keys and webhooks again.',
    );
  });
}

/** @throws OperatorError for a file that is no erasure log: nothing is restored then */
function readErasures(file: string): readonly ErasureEntry[] {
  let lines: number;
  try {
    lines = readFileSync(file, 'utf8').trimEnd().split('\n').length;
  } catch (error) {
    throw new OperatorError(`The erasure log ${file} cannot be read: ${(error as Error).message}.`);
  }
  const entries = new ErasureLog(file).read();
  // A crash may have cut the last line off.
  if (entries.length === 0 || entries.length < lines - 1) throw new OperatorError(`${file} is no erasure log.`);
  return entries;
}
