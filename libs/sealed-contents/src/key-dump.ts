import { canonicalJson } from '#kernel';
import type { UnitOfWork } from '#persistence';
import type { EpochKey, EpochKeys } from './epoch-keys.js';
import { KeyLost, type KeyWrapper, openBytes, sealBytes } from './key-wrapper.js';
import { tenantRow } from './content-key-store.js';

const FORMAT = 'traceability-keys/1';
/** Rows in one line of a dump. */
const AT_ONCE = 500;

interface Head {
  readonly format: typeof FORMAT;
  readonly epoch: string;
  readonly madeAt: string;
}

interface TenantKeyRow {
  readonly tenantId: string;
  readonly wrapped: string;
}

interface ContentKeyRow {
  readonly tenantId: string;
  readonly cid: string;
  readonly wrapped: string;
  readonly hidden: string;
  readonly erased: unknown;
  readonly disclosed: number;
  readonly isNote: boolean;
  /** Lacks in dumps from before there were words. */
  readonly words?: string | null;
}

type Part =
  | { readonly tenants: readonly TenantKeyRow[] }
  | { readonly contents: readonly ContentKeyRow[] }
  | { readonly end: { readonly tenants: number; readonly contents: number } };

/** A dump of keys that cannot be read, or is not whole. Its sentence is for operators. */
export class UnusableKeyDump extends Error {}

const lineName = (epoch: string, line: number): string => `key dump ${epoch} line ${line}`;
const CONTENTS = `select tenant_id::text as "tenantId", cid, encode(wrapped, 'base64') as wrapped, encode(hidden, 'base64') as hidden, erased, disclosed,
  is_note as "isNote", encode(words, 'base64') as words from keys.content_key where (tenant_id, cid) > ($1::uuid, $2) order by tenant_id, cid limit $3`;
const FIRST = ['00000000-0000-0000-0000-000000000000', ''] as const;

/** All keys of sealed contents, line by line, each encrypted with the key of the day: without that key nobody reads them. */
export async function* dumpKeys(work: UnitOfWork, { epoch, key }: EpochKey, now: Date): AsyncGenerator<string> {
  const head: Head = { format: FORMAT, epoch, madeAt: now.toISOString() };
  yield canonicalJson(head);
  let line = 1;
  const sealed = (part: Part): string => sealBytes(Buffer.from(JSON.stringify(part)), key, lineName(epoch, line++)).toString('base64');
  const tenants = await work.readAsSystem((tx) =>
    tx.sql<TenantKeyRow>('select tenant_id::text as "tenantId", wrapped from keys.tenant_key order by 1'),
  );
  yield sealed({ tenants });
  let contents = 0;
  for (let after: readonly [string, string] | null = FIRST; after;) {
    const from: readonly [string, string] = after;
    const rows = await work.readAsSystem((tx) => tx.sql<ContentKeyRow>(CONTENTS, [...from, AT_ONCE]));
    if (rows.length > 0) yield sealed({ contents: rows });
    contents += rows.length;
    const last = rows.at(-1);
    after = rows.length === AT_ONCE && last ? [last.tenantId, last.cid] : null;
  }
  yield sealed({ end: { tenants: tenants.length, contents } });
}

/** The parts of a dump, to its end. @throws UnusableKeyDump where a line is missing, was changed, or cannot be read any more */
export async function* readKeyDump(lines: AsyncIterable<string>, epochs: EpochKeys): AsyncGenerator<Part & { readonly head: Head }> {
  let opening: { readonly head: Head; readonly key: EpochKey } | null = null;
  let line = 0;
  let ended = false;
  for await (const text of lines) {
    if (text === '') continue;
    if (ended) throw new UnusableKeyDump('The dump of keys goes on after its end.');
    if (opening === null) opening = openingOf(text, epochs);
    else {
      const part = partOf(text, opening.key, line);
      ended = 'end' in part;
      yield { ...part, head: opening.head };
    }
    line++;
  }
  if (!ended) throw new UnusableKeyDump('The dump of keys ends too early: it was cut off. Make it again.');
}

function openingOf(text: string, epochs: EpochKeys): { readonly head: Head; readonly key: EpochKey } {
  let head: Partial<Head> | null = null;
  try {
    head = JSON.parse(text) as Partial<Head> | null;
  } catch {
    // It is no dump of keys.
  }
  if (head?.format !== FORMAT || typeof head.epoch !== 'string') throw new UnusableKeyDump('The file is no dump of keys.');
  const key = epochs.find(head.epoch);
  if (key) return { head: head as Head, key };
  throw new UnusableKeyDump(
    `The key of the backups of ${head.epoch} is not in ERASURE_DIR: it was destroyed after BACKUPS_KEPT_DAYS, or ERASURE_DIR is another folder.`,
  );
}

function partOf(text: string, { epoch, key }: EpochKey, line: number): Part {
  try {
    return JSON.parse(openBytes(Buffer.from(text, 'base64'), key, lineName(epoch, line)).toString()) as Part;
  } catch (error) {
    if (error instanceof KeyLost || error instanceof SyntaxError)
      throw new UnusableKeyDump(`Line ${line + 1} of the dump of keys was changed, or is in another place than it was written.`);
    throw error;
  }
}

/** Whether the keys of a tenant open with ENCRYPTION_KEY. */
export const opensWith = (wrapper: KeyWrapper, { tenantId, wrapped }: TenantKeyRow): Promise<boolean> =>
  wrapper.unwrap(wrapped, tenantRow(tenantId)).then(
    () => true,
    (error: unknown) => {
      if (error instanceof KeyLost) return false;
      throw error;
    },
  );

/** What the database has and the dump has not, of what was there when it was made. */
export interface DumpGaps {
  readonly madeAt: string;
  readonly tenants: number;
  readonly contents: number;
  /** Contents whose keys are in the database and not in the dump. */
  readonly missing: number;
  /** Tenants whose key ENCRYPTION_KEY does not open. */
  readonly closed: number;
}

/** Compares a dump with the database. @throws UnusableKeyDump */
export async function compareKeyDump(
  work: UnitOfWork,
  parts: AsyncIterable<Part & { readonly head: Head }>,
  wrapper: KeyWrapper,
): Promise<DumpGaps> {
  const found = { madeAt: '', tenants: 0, contents: 0, closed: 0 };
  let shared = 0;
  for await (const part of parts) {
    found.madeAt = part.head.madeAt;
    if ('tenants' in part) {
      found.tenants += part.tenants.length;
      for (const row of part.tenants) if (!(await opensWith(wrapper, row))) found.closed++;
    }
    if (!('contents' in part)) continue;
    found.contents += part.contents.length;
    const [row] = await work.readAsSystem((tx) =>
      tx.sql<{ count: number }>(
        `select count(*)::int as count from unnest($1::uuid[], $2::text[]) as d(tenant_id, cid)
         join keys.content_key k on k.tenant_id = d.tenant_id and k.cid = d.cid where k.created_at <= $3`,
        [part.contents.map(({ tenantId }) => tenantId), part.contents.map(({ cid }) => cid), part.head.madeAt],
      ),
    );
    shared += row!.count;
  }
  const [held] = await work.readAsSystem((tx) =>
    tx.sql<{ count: number }>('select count(*)::int as count from keys.content_key where created_at <= $1', [found.madeAt]),
  );
  return { ...found, missing: held!.count - shared };
}

/** Puts keys back that are not there. What is there stays: its values may have been erased since. @returns how many */
export async function restoreKeys(
  work: UnitOfWork,
  parts: AsyncIterable<Part>,
): Promise<{ readonly tenants: number; readonly contents: number }> {
  const restored = { tenants: 0, contents: 0 };
  for await (const part of parts) {
    if ('tenants' in part)
      restored.tenants += (
        await work.asSystem((tx) =>
          tx.sql(
            `insert into keys.tenant_key (tenant_id, wrapped) select * from unnest($1::uuid[], $2::text[]) on conflict do nothing returning 1`,
            [part.tenants.map(({ tenantId }) => tenantId), part.tenants.map(({ wrapped }) => wrapped)],
          ),
        )
      ).length;
    if ('contents' in part)
      restored.contents += (
        await work.asSystem((tx) =>
          tx.sql(
            `insert into keys.content_key (tenant_id, cid, wrapped, hidden, erased, disclosed, is_note, words)
             select d."tenantId", d.cid, decode(d.wrapped, 'base64'), decode(d.hidden, 'base64'), d.erased, d.disclosed, d."isNote",
               decode(d.words, 'base64')
             from jsonb_to_recordset($1::jsonb)
               as d("tenantId" uuid, cid text, wrapped text, hidden text, erased jsonb, disclosed int, "isNote" boolean, words text)
             on conflict do nothing returning 1`,
            [JSON.stringify(part.contents)],
          ),
        )
      ).length;
  }
  return restored;
}
