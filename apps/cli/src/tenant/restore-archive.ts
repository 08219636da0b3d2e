import type { INestApplicationContext } from '@nestjs/common';
import type { Config } from '#config';
import { keccakOf } from '#kernel';
import { type SystemTx, UnitOfWork } from '#persistence';
import { ConfiguredKeys, type ErasureEntry, ErasureLog, ErasureSettings, entryName, openBytes, tenantRow } from '#sealed-contents';
import { OperatorError } from '../../../runtime/src/index.js';
import { storeOf } from '../content/content-store.js';
import { Archive, type Manifest } from './archive-file.js';
import { archiveKeys, keysLine } from './archive-keys.js';
import { MOVED } from './moved-tables.js';
import { chainOf, columnsOf } from './write-archive.js';

const ROWS = 500;

interface Restoring {
  readonly path: string;
  readonly passphrase: string;
  /** Of any tenants: what was erased after the archive was written. */
  readonly erased: readonly ErasureEntry[];
}

/**
 * Reads an archive into this service: everything, or nothing but contents under their hashes.
 * @returns with the number of erasures that the log of this service did not have
 * @throws OperatorError
 */
export async function restoreArchive(
  app: INestApplicationContext,
  config: Config,
  { path, passphrase, erased }: Restoring,
): Promise<{ readonly manifest: Manifest; readonly added: number }> {
  const archive = await Archive.open(path, (salt) => archiveKeys(passphrase, salt).mac);
  try {
    const { manifest } = archive;
    const work = app.get(UnitOfWork);
    refuseOtherChain(manifest, await chainOf(app, config));
    await work.asSystem((tx) => refuseUnfit(tx, manifest));
    await restoreContents(archive, config, work);
    // Before the rows are there: they may not be seen without their erasures.
    const added = takeErasures(manifest.tenant.id, erased, config);
    await work.asSystem(async (tx) => {
      await refuseUnfit(tx, manifest);
      await insertTenant(tx, manifest);
      const users = await restoreUsers(tx, archive);
      for (const { table, columns } of manifest.tables) await restoreRows(tx, archive, { table, columns, users });
      if (manifest.keys !== null) await restoreKeys(tx, archive, config, archiveKeys(passphrase, manifest.salt).seal);
    });
    return { manifest, added };
  } finally {
    archive.close();
  }
}

function takeErasures(tenantId: string, erased: readonly ErasureEntry[], { erasure }: Config): number {
  const log = new ErasureLog(new ErasureSettings(erasure.folder, erasure.backupsKeptMs).logFile);
  const known = log.names();
  const added = erased.filter((entry) => entry.tenantId === tenantId && !known.has(entryName(entry)));
  log.append(added);
  return added.length;
}

function refuseOtherChain({ chain }: Manifest, here: Manifest['chain']): void {
  const isOther =
    chain.chainId !== here.chainId ||
    chain.registry !== here.registry ||
    (chain.genesisHash !== null && here.genesisHash !== null && chain.genesisHash !== here.genesisHash);
  if (isOther)
    throw new OperatorError(
      `The tenant is recorded on chain ${chain.chainId} with the registry ${chain.registry}; this service follows chain ${here.chainId} with ${here.registry}. What is on chain does not move: restore on a service that follows the same chain and registry.`,
    );
}

/** @throws OperatorError where the tenant is here already, or the archive is of another version of the tables */
async function refuseUnfit(tx: SystemTx, { tenant, tables }: Manifest): Promise<void> {
  const [there] = await tx.sql('select id from identity.tenant where slug = $1 or id = $2', [tenant.slug, tenant.id]);
  if (there) throw new OperatorError(`This service has a tenant ${tenant.slug} already, or one with its UUID ${tenant.id}.`);
  const order = MOVED.map(({ table }) => table);
  for (const { table, columns } of tables) {
    const known = order.includes(table) ? await columnsOf(tx, table) : [];
    if (known.join() !== columns.join())
      throw new OperatorError(
        `The archive was made by another version: ${table} has other columns here. Bring both services to the same version, and make the archive again.`,
      );
  }
}

const insertTenant = (tx: SystemTx, { tenant: { id, slug, name, environment, tier } }: Manifest) =>
  tx.sql(
    `insert into identity.tenant (id, slug, name, on_chain_tenant_id, environment, tier, status, created_at)
     values ($1, $2, $3, $4, $5, $6, 'active', now())`,
    [id, slug, name, keccakOf(slug), environment, tier],
  );

interface ArchivedUser {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly createdAt: string;
}

/** People who are here already stay who they are; the others have no password yet. @returns ids in the archive to ids here */
async function restoreUsers(tx: SystemTx, archive: Archive): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>();
  for await (const line of archive.lines('users.ndjson')) {
    const { id, email, name, createdAt } = JSON.parse(line) as ArchivedUser;
    const [known] = await tx.sql<{ id: string }>('select id from identity.app_user where email = $1', [email]);
    if (known) ids.set(id, known.id);
    else
      await tx.sql(
        `insert into identity.app_user (id, email, name, password_hash, platform_admin, created_at) values ($1, $2, $3, null, false, $4)`,
        [id, email, name, createdAt],
      );
  }
  return ids;
}

interface TableRows {
  readonly table: string;
  readonly columns: readonly string[];
  readonly users: ReadonlyMap<string, string>;
}

async function restoreRows(tx: SystemTx, archive: Archive, { table, columns, users }: TableRows): Promise<void> {
  const names = columns.map((name) => `"${name}"`).join(', ');
  const insert = (lines: readonly string[]) =>
    tx.sql(`insert into ${table} (${names}) select ${names} from jsonb_populate_recordset(null::${table}, $1::jsonb)`, [
      `[${lines.join()}]`,
    ]);
  let lines: string[] = [];
  for await (const line of archive.lines(`rows/${table}.ndjson`)) {
    lines.push(ofUsersHere(ofTenant(line, table, archive.manifest), users));
    if (lines.length < ROWS) continue;
    await insert(lines);
    lines = [];
  }
  if (lines.length > 0) await insert(lines);
}

function ofTenant(line: string, table: string, { tenant }: Manifest): string {
  const { tenant_id: of } = JSON.parse(line) as { readonly tenant_id?: string };
  if (of !== tenant.id) throw new OperatorError(`The archive has a row of ${table} that is not of its tenant.`);
  return line;
}

/** Ids are random: where one is written, it means the user. */
function ofUsersHere(line: string, users: ReadonlyMap<string, string>): string {
  let text = line;
  for (const [there, here] of users) if (text.includes(there)) text = text.replaceAll(there, here);
  return text;
}

async function restoreContents(archive: Archive, config: Config, work: UnitOfWork): Promise<void> {
  const store = storeOf(config, work);
  await store.check();
  for (const { name } of archive.manifest.files.filter((file) => file.name.startsWith('contents/')))
    for await (const line of archive.lines(name)) {
      const { cid, bytes } = JSON.parse(line) as { readonly cid: string; readonly bytes: string };
      const stored = await store.put(Buffer.from(bytes, 'base64'));
      if (stored.cid !== cid) throw new OperatorError(`The archive has other bytes for ${cid} than those with this hash.`);
    }
}

async function restoreKeys(tx: SystemTx, archive: Archive, { secrets }: Config, seal: Buffer): Promise<void> {
  const { tenant, salt } = archive.manifest;
  const wrapper = new ConfiguredKeys([secrets.encryptionKey!, ...secrets.retiredEncryptionKeys]);
  const names = (await columnsOf(tx, 'keys.content_key')).map((name) => `"${name}"`).join(', ');
  let line = 0;
  for await (const text of archive.lines('keys.sealed')) {
    const opened = openBytes(Buffer.from(text, 'base64'), seal, keysLine(tenant.id, salt, line++)).toString();
    const part = JSON.parse(opened) as { readonly tenantKey?: string | null; readonly rows?: readonly object[] };
    if (typeof part.tenantKey === 'string')
      await tx.sql('insert into keys.tenant_key (tenant_id, wrapped) values ($1, $2)', [
        tenant.id,
        await wrapper.wrap(Buffer.from(part.tenantKey, 'base64'), tenantRow(tenant.id)),
      ]);
    if (part.rows)
      await tx.sql(
        `insert into keys.content_key (${names}) select ${names} from jsonb_populate_recordset(null::keys.content_key, $1::jsonb)`,
        [JSON.stringify(part.rows)],
      );
  }
}
