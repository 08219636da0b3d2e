import { randomBytes } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import { Deployments } from '#chain';
import type { Config } from '#config';
import { type ContentStore, cidFromDataHash } from '#content-storage';
import { type TenantTx, UnitOfWork } from '#persistence';
import { ConfiguredKeys, KeyLost, sealBytes, tenantRow } from '#sealed-contents';
import { OperatorError } from '../../../runtime/src/index.js';
import { storeOf } from '../content/content-store.js';
import { ArchiveWriter, FORMAT, type Manifest } from './archive-file.js';
import { archiveKeys, keysLine } from './archive-keys.js';
import { MOVED, type MovedTable } from './moved-tables.js';

export interface ArchiveRequest {
  readonly slug: string;
  readonly path: string;
  readonly passphrase: string;
  readonly withContents: boolean;
  readonly withKeys: boolean;
}

type Tenant = Manifest['tenant'];

/** Rows in memory at once, and contents that are read at the same time. */
const ROWS = 1_000;
const AT_ONCE = 16;
/** Text of contents in one file of the archive. */
const PART_CHARACTERS = 256 * 1024 * 1024;

/** What the records of a tenant refer to. What imports stored stays behind with them. */
const CONTENTS = `
  select cid, null as hash from (
    select ipfs_cid as cid from traceability.event where ipfs_cid is not null
    union select cid from traceability.process_map
    union select cid from keys.content_key
    union select p.cid from documents.part p join documents.document d on d.tenant_id = p.tenant_id and d.file_id = p.file_id
    except select p.cid from documents.part p
      where not exists (select from documents.document d where d.tenant_id = p.tenant_id and d.file_id = p.file_id)) as named
  union all
  select null, hash from (
    select data_hash as hash from traceability.error_declaration union select data_hash from recall.recall
    union select data_hash from recall.prepared_notice union select data_hash from custody.hand_over) as hashes
  where hash !~ '^0x0*$'`;

/** One file with everything of a tenant that another service on the same chain needs. @throws OperatorError */
export async function writeArchive(app: INestApplicationContext, config: Config, request: ArchiveRequest): Promise<Manifest> {
  const work = app.get(UnitOfWork);
  const [tenant, chain] = [await tenantOf(work, request.slug), await chainOf(app, config)];
  const salt = randomBytes(16).toString('base64');
  const keys = archiveKeys(request.passphrase, salt);
  const tenantKey = request.withKeys ? await tenantKeyOf(work, config, tenant.id) : null;
  const writer = await ArchiveWriter.create(request.path);
  try {
    const read = await work.inSnapshot({ tenantId: tenant.id }, async (tx) => {
      const tables: Manifest['tables'][number][] = [];
      for (const moved of MOVED) tables.push(await writeTable(tx, writer, tenant.id, moved));
      const sealed = request.withKeys ? await writeKeys(tx, writer, { tenant, tenantKey, salt, seal: keys.seal }) : null;
      return { tables, keys: sealed, cids: request.withContents ? await cidsOf(tx) : [], users: await userIds(tx) };
    });
    await writer.add('users.ndjson', await usersOf(work, read.users));
    const contents = await writeContents(writer, storeOf(config, work), read.cids);
    const manifest = {
      format: FORMAT,
      madeAt: new Date().toISOString(),
      tenant,
      chain,
      tables: read.tables,
      contents,
      keys: read.keys,
      salt,
    };
    await writer.end({ ...manifest, format: FORMAT }, keys.mac);
    return { ...manifest, format: FORMAT, files: writer.files };
  } catch (error) {
    await writer.discard();
    throw error;
  }
}

async function tenantOf(work: UnitOfWork, slug: string): Promise<Tenant> {
  const [tenant] = await work.readAsSystem((tx) =>
    tx.sql<Tenant>('select id, slug, name, environment, tier from identity.tenant where slug = $1', [slug]),
  );
  if (!tenant) throw new OperatorError(`There is no tenant ${slug}.`);
  return tenant;
}

/** The chain that a service follows. @throws OperatorError before it has a registry */
export async function chainOf(app: INestApplicationContext, config: Config): Promise<Manifest['chain']> {
  const registry = await app.get(Deployments).registry();
  if (registry === null) throw new OperatorError('The service follows no registry yet: set CHAIN_REGISTRY, or start it first.');
  const [cursor] = await app
    .get(UnitOfWork)
    .readAsSystem((tx) =>
      tx.sql<{ hash: string | null }>('select genesis_hash as hash from chain.cursor where chain_id = $1', [config.chain.chainId]),
    );
  return { chainId: config.chain.chainId, registry, genesisHash: cursor?.hash ?? null };
}

/** Columns that rows are written with: not those that the database makes. */
export const columnsOf = async (tx: Pick<TenantTx, 'sql'>, table: string): Promise<readonly string[]> =>
  (
    await tx.sql<{ name: string }>(
      `select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''
         and attidentity = '' order by attname`,
      [table],
    )
  ).map(({ name }) => name);

async function writeTable(
  tx: TenantTx,
  writer: ArchiveWriter,
  tenantId: string,
  { table, where = 'true', from = `select * from ${table}` }: MovedTable,
): Promise<Manifest['tables'][number]> {
  const columns = await columnsOf(tx, table);
  const names = columns.map((name) => `"${name}"`).join(', ');
  const order = table === 'identity.audit_entry' ? 'order by seq' : '';
  const of = `tenant_id = '${tenantId}' and ${where.replaceAll('$1', `'${tenantId}'`)}`;
  let rows = 0;
  const lines = async function* (): AsyncGenerator<Uint8Array> {
    for await (const some of inPages(
      tx,
      `select to_jsonb(r)::text as line from (select ${names} from (${from}) as s where ${of} ${order}) as r`,
    )) {
      rows += some.length;
      yield Buffer.from(some.map(({ line }) => `${line}\n`).join(''));
    }
  };
  await writer.add(`rows/${table}.ndjson`, lines());
  return { table, columns, rows };
}

async function* inPages<Row extends { readonly line: string }>(tx: TenantTx, query: string): AsyncGenerator<readonly Row[]> {
  await tx.sql(`declare archived no scroll cursor for ${query}`, []);
  for (;;) {
    const rows = await tx.sql<Row>(`fetch ${ROWS} from archived`, []);
    if (rows.length > 0) yield rows;
    if (rows.length < ROWS) break;
  }
  await tx.sql('close archived', []);
}

/** @throws OperatorError for a key that ENCRYPTION_KEY does not open */
async function tenantKeyOf(work: UnitOfWork, { secrets }: Config, tenantId: string): Promise<Buffer | null> {
  const [row] = await work.readAsSystem((tx) =>
    tx.sql<{ wrapped: string }>('select wrapped from keys.tenant_key where tenant_id = $1', [tenantId]),
  );
  if (!row) return null;
  const wrapper = new ConfiguredKeys([secrets.encryptionKey!, ...secrets.retiredEncryptionKeys]);
  return wrapper.unwrap(row.wrapped, tenantRow(tenantId)).catch((error: unknown) => {
    if (!(error instanceof KeyLost)) throw error;
    throw new OperatorError('ENCRYPTION_KEY does not open the key of the tenant: set the one that encrypted it, or use --without-keys.');
  });
}

interface KeySealing {
  readonly tenant: Tenant;
  readonly tenantKey: Buffer | null;
  readonly salt: string;
  readonly seal: Buffer;
}

/** The key of the tenant, then the keys of its contents, which stay encrypted under it. @returns how many contents */
async function writeKeys(tx: TenantTx, writer: ArchiveWriter, { tenant, tenantKey, salt, seal }: KeySealing): Promise<number> {
  let contents = 0;
  let line = 0;
  const sealed = (part: object): Uint8Array =>
    Buffer.from(`${sealBytes(Buffer.from(JSON.stringify(part)), seal, keysLine(tenant.id, salt, line++)).toString('base64')}\n`);
  const names = (await columnsOf(tx, 'keys.content_key')).map((name) => `"${name}"`).join(', ');
  const query = `select to_jsonb(r)::text as line from (select ${names} from keys.content_key where tenant_id = '${tenant.id}') as r`;
  const lines = async function* (): AsyncGenerator<Uint8Array> {
    yield sealed({ tenantKey: tenantKey?.toString('base64') ?? null });
    for await (const rows of inPages(tx, query)) {
      contents += rows.length;
      yield sealed({ rows: rows.map((row) => JSON.parse(row.line) as object) });
    }
  };
  await writer.add('keys.sealed', lines());
  return contents;
}

async function cidsOf(tx: TenantTx): Promise<readonly string[]> {
  const rows = await tx.sql<{ cid: string | null; hash: string | null }>(CONTENTS, []);
  return [...new Set(rows.map(({ cid, hash }) => cid ?? cidFromDataHash(hash!)))].toSorted();
}

const userIds = async (tx: TenantTx): Promise<readonly string[]> =>
  (await tx.sql<{ id: string }>('select distinct user_id as id from identity.member where tenant_id = $1', [tx.tenantId])).map(
    ({ id }) => id,
  );

async function usersOf(work: UnitOfWork, ids: readonly string[]): Promise<readonly Uint8Array[]> {
  const users = await work.readAsSystem((tx) =>
    tx.sql<object>('select id, email, name, created_at as "createdAt" from identity.app_user where id = any($1::uuid[]) order by id', [
      ids,
    ]),
  );
  return users.map((user) => Buffer.from(`${JSON.stringify(user)}\n`));
}

async function writeContents(writer: ArchiveWriter, store: ContentStore, cids: readonly string[]): Promise<Manifest['contents']> {
  const counts = { held: 0, missing: 0 };
  const lines = contentLines(store, cids, counts);
  for (let part = 1; ; part++) {
    const first = await lines.next();
    if (first.done) return counts;
    await writer.add(`contents/${String(part).padStart(4, '0')}.ndjson`, upTo(first.value, lines));
  }
}

async function* contentLines(
  store: ContentStore,
  cids: readonly string[],
  counts: { held: number; missing: number },
): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < cids.length; from += AT_ONCE) {
    const some = cids.slice(from, from + AT_ONCE);
    for (const [i, bytes] of (await Promise.all(some.map((cid) => store.get(cid)))).entries()) {
      if (bytes === null) {
        counts.missing++;
        continue;
      }
      counts.held++;
      yield Buffer.from(`${JSON.stringify({ cid: some[i], bytes: Buffer.from(bytes).toString('base64') })}\n`);
    }
  }
}

/** The next lines, as many as one file has. */
async function* upTo(first: Uint8Array, lines: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  for (let size = first.length; size < PART_CHARACTERS;) {
    const next = await lines.next();
    if (next.done) return;
    size += next.value.length;
    yield next.value;
  }
}
