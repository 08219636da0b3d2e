import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { bytesOf, hashesOf, KEY_BYTES, type Path, type SealedContent } from '#envelope';
import { type Json, newId, type TenantScope } from '#kernel';
import { arrayParameter, type ContextPersistence, type SystemTx, type TenantTx, UnitOfWork } from '#persistence';
import type { ErasureEntry } from './erasure-log.js';
import { KeyLost, KeyWrapper } from './key-wrapper.js';
import { packKeys, unpackKeys } from './packed-keys.js';
import { sealWords } from './sealed-words.js';

/** Migrated like the schemas of the contexts, whichever store has the blocks. */
export const keysPersistence: ContextPersistence = {
  schema: 'keys',
  migrations: new URL('./migrations/', import.meta.url),
  entities: [],
};

/** A sealed content and the CID of its block. */
export interface KeyedContent extends Pick<SealedContent, 'keys' | 'hidden'> {
  readonly cid: string;
  /** Of a note of a call, which no row of an event repeats: what it says. */
  readonly note?: Json;
}

/** What opens a block that was sealed here. */
export interface HeldKeys extends Pick<SealedContent, 'keys' | 'hidden'> {
  /** Values whose keys were destroyed. */
  readonly erased: readonly Path[];
}

export type TenantKey = Buffer;

interface Row {
  readonly cid: string;
  readonly wrapped: Buffer;
  readonly hidden: Buffer;
  readonly erased: readonly Path[];
}

const TENANT_KEY = 'select wrapped from keys.tenant_key where tenant_id = $1';
type Reading = <T>(plan: (tx: TenantTx) => Promise<T>) => Promise<T>;
const rowName = (tenantId: string, cid: string): string => `content key ${tenantId} ${cid}`;
export const tenantRow = (tenantId: string): string => `tenant key ${tenantId}`;
/** Keys of tenants in memory. */
const MOST_REMEMBERED = 10_000;

/** Keys of sealed contents. They are in the database only, never in the content store. */
@Injectable()
export class ContentKeyStore {
  private readonly remembered = new Map<string, Promise<TenantKey>>();

  constructor(
    private readonly work: UnitOfWork,
    private readonly wrapper: KeyWrapper,
  ) {}

  /** The key of a tenant; the first question makes it. It is committed before anything is wrapped by it. @throws KeyLost */
  tenantKey({ tenantId }: TenantScope): Promise<TenantKey> {
    const known = this.remembered.get(tenantId);
    if (known) return known;
    if (this.remembered.size >= MOST_REMEMBERED) this.remembered.clear();
    const asked = this.loadTenantKey(tenantId);
    this.remembered.set(tenantId, asked);
    asked.catch(() => this.remembered.delete(tenantId));
    return asked;
  }

  /** The key of a tenant that has one, in an open transaction, which waits for no other connection. @throws KeyLost */
  async tenantKeyIn(tx: TenantTx): Promise<TenantKey> {
    const key = await this.knownTenantKey(tx, (plan) => plan(tx));
    if (key === 'key_lost') throw new KeyLost(`the key of the tenant ${tx.tenantId}`);
    return key;
  }

  /** Reading makes no key: where the tenant's is missing, its contents are lost. */
  private async knownTenantKey(scope: TenantScope, reading: Reading): Promise<TenantKey | 'key_lost'> {
    const remembered = this.remembered.get(scope.tenantId);
    if (remembered) return remembered.catch(lostOrThrow);
    const [row] = await reading((tx) => tx.sql<{ wrapped: string }>(TENANT_KEY, [scope.tenantId]));
    return row ? this.wrapper.unwrap(row.wrapped, tenantRow(scope.tenantId)).catch(lostOrThrow) : 'key_lost';
  }

  /** Two processes may ask for the first time at once: one key is kept, and both read it. */
  private async loadTenantKey(tenantId: string): Promise<TenantKey> {
    const [known] = await this.work.read({ tenantId }, (tx) => tx.sql<{ wrapped: string }>(TENANT_KEY, [tenantId]));
    if (known) return this.wrapper.unwrap(known.wrapped, tenantRow(tenantId));
    const made = await this.wrapper.wrap(randomBytes(KEY_BYTES), tenantRow(tenantId));
    const [kept] = await this.work.inTransaction({ tenantId }, async (tx) => {
      await tx.sql('insert into keys.tenant_key (tenant_id, wrapped) values ($1, $2) on conflict do nothing', [tenantId, made]);
      return tx.sql<{ wrapped: string }>(TENANT_KEY, [tenantId]);
    });
    return this.wrapper.unwrap(kept!.wrapped, tenantRow(tenantId));
  }

  /** In the transaction that writes the first row that names the contents. Those in which nothing is sealed need no keys. */
  async insert(tx: TenantTx, key: TenantKey, contents: readonly KeyedContent[]): Promise<void> {
    const sealed = contents.filter(({ keys }) => Object.keys(keys).length > 0);
    if (sealed.length === 0) return;
    const cids = sealed.map(({ cid }) => cid);
    const notes = sealed.flatMap(({ cid, note }) => (note === undefined ? [] : [cid]));
    const words = sealed.map(({ cid, note }) => (note === undefined ? null : sealWords(note, key, tx.tenantId, cid)));
    const wrapped = sealed.map(({ cid, keys }) => packKeys(keys, key, rowName(tx.tenantId, cid)));
    const hidden = sealed.map((one) => bytesOf(one.hidden));
    await tx.sql(
      `insert into keys.content_key (tenant_id, cid, wrapped, hidden, is_note, words)
       select $1, k.cid, k.wrapped, k.hidden, k.cid = any($5::text[]), k.words
       from unnest($2::text[], $3::bytea[], $4::bytea[], $6::bytea[]) as k(cid, wrapped, hidden, words)`,
      [
        ...[tx.tenantId, arrayParameter('text', cids), arrayParameter('bytea', wrapped), arrayParameter('bytea', hidden), notes],
        arrayParameter('bytea', words),
      ],
    );
  }

  /**
   * By CID; a content without a row was sealed elsewhere, one whose keys cannot be read is `key_lost`.
   * @param open a transaction of the tenant that is open already: it waits for no other connection
   */
  async find(scope: TenantScope, cids: readonly string[], open?: TenantTx): Promise<ReadonlyMap<string, HeldKeys | 'key_lost'>> {
    if (cids.length === 0) return new Map();
    const reading = <T>(plan: (tx: TenantTx) => Promise<T>): Promise<T> => (open ? plan(open) : this.work.read(scope, plan));
    const rows = await reading((tx) =>
      tx.sql<Row>('select cid, wrapped, hidden, erased from keys.content_key where tenant_id = $1 and cid = any($2::text[])', [
        scope.tenantId,
        cids,
      ]),
    );
    if (rows.length === 0) return new Map();
    const key = await this.knownTenantKey(scope, reading);
    return new Map(rows.map((row) => [row.cid, key === 'key_lost' ? key : heldKeys(row, key, scope)]));
  }

  /** How many values were erased of those contents of which some were. */
  async erasedAmong(tx: TenantTx, cids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const rows = await tx.sql<{ cid: string; count: number }>(
      `select cid, jsonb_array_length(erased) as count from keys.content_key
       where tenant_id = $1 and cid = any($2::text[]) and erased <> '[]'`,
      [tx.tenantId, cids],
    );
    return new Map(rows.map(({ cid, count }) => [cid, count]));
  }

  /**
   * Writes the keys of a content again without those that were destroyed. In the transaction that read them `for update` or under a lock.
   * @param held its `hidden` with the hashes of the leaves that no key opens any more
   */
  async replace(tx: TenantTx, key: TenantKey, cid: string, { keys, hidden, erased }: HeldKeys): Promise<void> {
    await tx.sql('update keys.content_key set wrapped = $3, hidden = $4, erased = $5 where tenant_id = $1 and cid = $2', [
      ...[tx.tenantId, cid, packKeys(keys, key, rowName(tx.tenantId, cid)), bytesOf(hidden), JSON.stringify(erased)],
    ]);
  }

  /** All keys of a content. @returns false where it has none */
  async destroy(tx: TenantTx, cid: string): Promise<boolean> {
    const rows = await tx.sql('delete from keys.content_key where tenant_id = $1 and cid = $2 returning cid', [tx.tenantId, cid]);
    return rows.length > 0;
  }

  /** All keys of a content, which has no event; the erasure log says so. @param by user or API key id */
  async erase(tx: TenantTx, cid: string, by: string): Promise<void> {
    await this.destroy(tx, cid);
    await tx.sql(
      `insert into keys.erasure (tenant_id, id, part, erased_at, erased_by, erased_values, contents) values ($1, $2, 0, now(), $3, 0, $4)`,
      [tx.tenantId, newId(), by, JSON.stringify([{ cid, eventId: null, paths: [] }])],
    );
  }

  /** What was erased, for the erasure log, which a job writes (`KeepErasuresJob`). Those that are written are never changed. */
  async insertErasure(tx: TenantTx, { id, part, erasedAt, erasedBy, values, contents }: ErasureEntry): Promise<void> {
    await tx.sql(
      `insert into keys.erasure (tenant_id, id, part, erased_at, erased_by, erased_values, contents) values ($1, $2, $3, $4, $5, $6, $7)
       on conflict do nothing`,
      [tx.tenantId, id, part, erasedAt, erasedBy, values, JSON.stringify(contents)],
    );
  }

  /** Values of persons were given away with a proof: who erases them learns how often. */
  async noteDisclosure(tx: TenantTx, cid: string): Promise<void> {
    await tx.sql('update keys.content_key set disclosed = disclosed + 1 where tenant_id = $1 and cid = $2', [tx.tenantId, cid]);
  }

  /** Of contents that were deleted. */
  async forget(tx: SystemTx, cids: readonly string[]): Promise<void> {
    await tx.sql('delete from keys.content_key where cid = any($1::text[])', [cids]);
  }

  /** What an operator has to know of keys that nothing configured can unwrap; null where there are none. */
  async lostKeys(tx: SystemTx): Promise<string | null> {
    return lostKeys(await tx.sql<{ wrapped: string }>(TENANT_KEYS), this.wrapper);
  }

  /** Wraps the keys of tenants again that another key than the current one has wrapped. @returns how many */
  async rotate(tx: SystemTx): Promise<{ readonly rotated: number; readonly tenants: number }> {
    const rows = await tx.sql<{ tenantId: string; wrapped: string }>(
      'select tenant_id as "tenantId", wrapped from keys.tenant_key order by tenant_id for update',
    );
    const old = rows.filter(({ wrapped }) => !this.wrapper.isCurrent(wrapped));
    for (const { tenantId, wrapped } of old) {
      const row = tenantRow(tenantId);
      const again = await this.wrapper.wrap(await this.wrapper.unwrap(wrapped, row), row);
      await tx.sql('update keys.tenant_key set wrapped = $2, wrapped_at = now() where tenant_id = $1', [tenantId, again]);
    }
    return { rotated: old.length, tenants: rows.length };
  }
}

export const TENANT_KEYS = 'select wrapped from keys.tenant_key';

/** One sentence; null where no key is lost. */
export function lostKeys(rows: readonly { readonly wrapped: string }[], wrapper: KeyWrapper): string | null {
  const lost = rows.filter(({ wrapped }) => !wrapper.knows(wrapped)).length;
  if (lost === 0) return null;
  return `ENCRYPTION_KEY does not open the keys of ${lost} of ${rows.length} tenants: another one encrypted them. Their sealed contents cannot be read, and nothing can be prepared for them.`;
}

export const KEYS_REMEDY = 'Set the ENCRYPTION_KEY of before, or add it to RETIRED_ENCRYPTION_KEYS, in every process.';

function heldKeys({ cid, wrapped, hidden, erased }: Row, key: TenantKey, { tenantId }: TenantScope): HeldKeys | 'key_lost' {
  try {
    return { keys: unpackKeys(wrapped, key, rowName(tenantId, cid)), hidden: hashesOf(hidden), erased };
  } catch (error) {
    return lostOrThrow(error);
  }
}

function lostOrThrow(error: unknown): 'key_lost' {
  if (error instanceof KeyLost) return 'key_lost';
  throw error;
}
