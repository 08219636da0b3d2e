import type { SystemTx, UnitOfWork } from '#persistence';
import { type ContentStore, digestOfCid } from '../content-store.js';

/** A content that a record refers to; `lasting`: a record that is never deleted. */
interface Reference {
  readonly cid: string;
  readonly lasting: boolean;
}

/** The time between marking a content and deleting it: no transaction that refers to it takes longer. */
const MARKED_FOR = `interval '10 minutes'`;
/** A statement that stores a content and began before its deletion ends sooner. */
const TOMBSTONE_FOR = `interval '1 day'`;

const OLD = `
  select cid from content.unsettled where marked_at is null and stored_at < $1 order by stored_at limit $2 for update skip locked`;
const MARKED = `
  select cid from content.unsettled where marked_at < now() - ${MARKED_FOR} and deleted_at is null
  order by marked_at limit $1 for update skip locked`;

/** The rows are missing, not deleted: then nothing is decided. */
class Rebuilding extends Error {}

/**
 * Contents of what was prepared and never sent. One run marks those to which no record refers, the next one examines them again and deletes them:
 * a request that stores one of them in between takes the mark off (`NotingContentStore`).
 */
export class UnsentContents {
  /** @param references of the contexts: `ContextPersistence.contents` */
  constructor(
    private readonly store: ContentStore,
    private readonly unitOfWork: UnitOfWork,
    private readonly references: readonly string[],
    private readonly isRebuilding: (tx: SystemTx) => Promise<boolean>,
    /** Deletes what else is kept of deleted contents, in the same transaction. */
    private readonly forget: (tx: SystemTx, cids: readonly string[]) => Promise<void> = () => Promise.resolve(),
  ) {}

  /** @returns how many were examined, `limit` at most */
  async mark(before: Date, limit: number): Promise<number> {
    return this.decided(async (tx) => {
      const cids = cidsOf(await tx.sql(OLD, [before, limit]));
      const free = await this.withoutReference(tx, cids);
      if (free.length > 0) await tx.sql('update content.unsettled set marked_at = now() where cid = any($1)', [free]);
      return cids.length;
    });
  }

  /** Deletes what an earlier run marked. @returns how many were examined, `limit` at most, and how many deleted */
  async deleteMarked(limit: number): Promise<{ readonly seen: number; readonly deleted: number }> {
    await this.unitOfWork.writeAsSystem((tx) => tx.sql(`delete from content.unsettled where deleted_at < now() - ${TOMBSTONE_FOR}`));
    let deleted = 0;
    const seen = await this.decided(async (tx) => {
      const cids = cidsOf(await tx.sql(MARKED, [limit]));
      const free = await this.withoutReference(tx, cids);
      deleted = free.length;
      if (deleted === 0) return cids.length;
      await this.store.delete(free);
      await this.forget(tx, free);
      await tx.sql('update content.unsettled set deleted_at = now() where cid = any($1)', [free]);
      return cids.length;
    });
    return { seen, deleted };
  }

  private async decided(decide: (tx: SystemTx) => Promise<number>): Promise<number> {
    try {
      return await this.unitOfWork.asSystem(decide);
    } catch (error) {
      if (error instanceof Rebuilding) return 0;
      throw error;
    }
  }

  /** Those with a lasting reference are noted no longer, those with another one begin again. @returns the others */
  private async withoutReference(tx: SystemTx, cids: readonly string[]): Promise<readonly string[]> {
    if (cids.length === 0) return cids;
    const found: Reference[] = [];
    const hashes = cids.map((cid) => `0x${digestOfCid(cid).toString('hex')}`);
    for (const statement of this.references) found.push(...(await tx.sql<Reference>(statement, [cids, hashes])));
    // After the references: a rebuild that begins later has not deleted any of them yet.
    if (await this.isRebuilding(tx)) throw new Rebuilding();
    const lasting = new Set(found.flatMap((one) => (one.lasting ? [one.cid] : [])));
    const used = new Set(found.map(({ cid }) => cid));
    const forNow = [...used].filter((cid) => !lasting.has(cid));
    if (lasting.size > 0) await tx.sql('delete from content.unsettled where cid = any($1)', [[...lasting]]);
    if (forNow.length > 0) await tx.sql('update content.unsettled set stored_at = now(), marked_at = null where cid = any($1)', [forNow]);
    return cids.filter((cid) => !used.has(cid));
  }
}

const cidsOf = (rows: readonly object[]): readonly string[] => (rows as readonly { readonly cid: string }[]).map(({ cid }) => cid);
