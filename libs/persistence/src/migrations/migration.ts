/** One file. `name` is `<schema>/<yyyymmddHHMM>-<name>`; the files of all contexts run in the order of their times. */
export interface Migration {
  readonly name: string;
  readonly stamp: string;
  readonly schema: string;
  readonly sql: string;
  readonly checksum: string;
}

/** This code must not use the database. The message names the migration and says what to do. */
export class MigrationRefused extends Error {}

/**
 * Stamp of the newest migration of a released version; null before the first release. Files up to it are never edited again. Before the
 * first release a schema has one file, which is edited in place.
 */
const LAST_RELEASED: string | null = null;

const WHAT_TO_DO = 'cannot be upgraded: start with another DATA_DIR or an empty database.';

/** @returns what is to be applied, in order @throws MigrationRefused when the database was not made by these files, or by newer ones */
export function pendingOf(
  migrations: readonly Migration[],
  applied: readonly { readonly name: string; readonly checksum: string }[],
  lastReleased = LAST_RELEASED,
): readonly Migration[] {
  const known = new Map(migrations.map((migration) => [migration.name, migration]));
  for (const { name, checksum } of applied) {
    const migration = known.get(name);
    if (!migration) throw new MigrationRefused(unknown(name, migrations[0]!.stamp));
    if (migration.checksum !== checksum) throw new MigrationRefused(edited(migration, lastReleased));
  }
  const done = new Set(applied.map((row) => row.name));
  return migrations.filter((migration) => !done.has(migration.name));
}

/** Older than all that there is: it was joined into the file of its schema. */
const unknown = (name: string, oldest: string): string =>
  (/\/(\d{12})-/.exec(name)?.[1] ?? '') < oldest
    ? `This data was written by an unreleased version of the service and ${WHAT_TO_DO}`
    : `The database is newer than this version of the service: it has ${name}. Start the newer version.`;

const edited = ({ name, stamp }: Migration, lastReleased: string | null): string =>
  lastReleased !== null && stamp <= lastReleased
    ? `${name} was edited after it was released. Restore the file and put the change into a new migration.`
    : `This data was written by an unreleased version of the service, which had another ${name}, and ${WHAT_TO_DO}`;
