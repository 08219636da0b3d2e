import { createReadStream, createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { configFrom } from '#config';
import { UnitOfWork } from '#persistence';
import { compareKeyDump, ConfiguredKeys, dumpKeys, EpochKeys, readKeyDump, restoreKeys, UnusableKeyDump } from '#sealed-contents';
import { OperatorError } from '../../../runtime/src/index.js';
import { asOperator } from '../operator.js';
import { LEFT_OUT, QUEUE_SCHEMA } from './table-origins.js';

export function addBackup(program: Command, say: (line: string) => void): void {
  const backup = program.command('backup').description('dumps of the database, and of the keys of contents');
  backup
    .command('left-out')
    .description(
      'print, as options of pg_dump, the tables that a dump may omit: those that the service rebuilds, and those with short-lived rows',
    )
    .action(() => {
      say(`--exclude-schema=${QUEUE_SCHEMA}`);
      for (const table of LEFT_OUT) say(`--exclude-table-data=${table}`);
    });
  backup
    .command('keys')
    .description('write the keys of contents into a file that can be read for BACKUPS_KEPT_DAYS; after the dump of the database')
    .requiredOption('--to <file>', 'a new file')
    .action(async ({ to }: { to: string }) => say(await writeKeys(to)));
  backup
    .command('check')
    .description('compare such a file with the database, and say whether the backup is complete; exit with 1 when it is not')
    .requiredOption('--keys <file>', 'written by `backup keys`')
    .action(async ({ keys }: { keys: string }) => say(await checkKeys(keys)));
  backup
    .command('restore-keys')
    .description('put the keys of such a file back that the database lacks; then start the service, which erases again what was erased')
    .requiredOption('--from <file>', 'written by `backup keys`')
    .action(async ({ from }: { from: string }) => say(await putBack(from)));
}

const onDatabase = <T>(work: (unitOfWork: UnitOfWork, epochs: EpochKeys, keys: ConfiguredKeys) => Promise<T>): Promise<T> =>
  asOperator(configFrom(process.env), (app, { erasure, secrets }) => {
    const epochs = new EpochKeys(erasure.folder, erasure.backupsKeptMs);
    const keys = new ConfiguredKeys([secrets.encryptionKey!, ...secrets.retiredEncryptionKeys]);
    return work(app.get(UnitOfWork), epochs, keys).catch((error: unknown) => {
      throw error instanceof UnusableKeyDump ? new OperatorError(`This backup is not complete. ${error.message}`) : error;
    });
  });

const writeKeys = (path: string): Promise<string> =>
  onDatabase(async (work, epochs) => {
    const now = new Date();
    const epoch = epochs.current(now);
    const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
    await once(file, 'open').catch((error: Error) => {
      throw new OperatorError(`${path} cannot be written: ${error.message}`);
    });
    for await (const line of dumpKeys(work, epoch, now)) if (!file.write(`${line}\n`)) await once(file, 'drain');
    file.end();
    await once(file, 'finish');
    return `The keys are in ${path}, readable until ${epochs.endOf(epoch.epoch).toISOString()}. Check the backup with: cli backup check --keys ${path}`;
  });

/** Tenants that seal, where the key of none of their contents is: a dump of the database that was restored without them. */
const WITHOUT_KEYS = `select count(*)::int as tenants from traceability.sealing_start s
  where not exists (select from keys.tenant_key k where k.tenant_id = s.tenant_id)`;

const checkKeys = (path: string): Promise<string> =>
  onDatabase(async (work, epochs, wrapper) => {
    const { madeAt, tenants, contents, missing, closed } = await compareKeyDump(work, readKeyDump(linesOf(path), epochs), wrapper);
    if (closed > 0)
      throw new OperatorError(
        `This backup is not complete. ENCRYPTION_KEY does not open the keys of ${closed} of ${tenants} tenants: keep the key that encrypted them too.`,
      );
    if (missing > 0)
      throw new OperatorError(
        `This backup is not complete. The keys of ${missing} contents of before ${madeAt} are not in it: make it again.`,
      );
    const [lost] = await work.readAsSystem((tx) => tx.sql<{ tenants: number }>(WITHOUT_KEYS));
    if (lost!.tenants > 0)
      throw new OperatorError(
        `This backup is not complete. The database has sealed contents of ${lost!.tenants} tenants and none of their keys: put them back first, with cli backup restore-keys.`,
      );
    return `The backup has the keys of all ${contents} contents and ${tenants} tenants of ${madeAt}. With the dump of the database, the content store, ERASURE_DIR and ENCRYPTION_KEY it is complete.`;
  });

const putBack = (path: string): Promise<string> =>
  onDatabase(async (work, epochs) => {
    const { tenants, contents } = await restoreKeys(work, readKeyDump(linesOf(path), epochs));
    return `${contents} keys of contents and ${tenants} of tenants were put back. Start the service again now: it erases again what was erased since.`;
  });

async function* linesOf(path: string): AsyncGenerator<string> {
  const file = createReadStream(path);
  await once(file, 'open').catch((error: Error) => {
    throw new UnusableKeyDump(`${path} cannot be read: ${error.message}`);
  });
  yield* createInterface({ input: file, crlfDelay: Number.POSITIVE_INFINITY });
}
