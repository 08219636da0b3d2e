import type { UnitOfWork } from '#persistence';
import { addressOf, type ContentAddress, ContentStore } from '../content-store.js';

interface Note {
  readonly cids: readonly string[];
  readonly resolve: (returned: ReadonlySet<string>) => void;
  readonly reject: (error: unknown) => void;
}

/** Always in the same order, so that two statements with the same contents cannot deadlock. A note of the last hour is as good as a new one. */
const NOTE = `
  insert into content.unsettled as u (cid) select cid from unnest($1::text[]) as c(cid) order by cid
  on conflict (cid) do update set stored_at = now(), returned = u.marked_at is not null, marked_at = null, deleted_at = null
  where u.marked_at is not null or u.stored_at < now() - interval '1 hour'
  returning cid, returned`;

/**
 * Notes what is stored, so that contents of requests that were never sent can be deleted later (`UnsentContents`). A content that is being
 * deleted while it is stored again may lose its bytes: the note waits for the deletion and says so, and then they are stored once more.
 */
export class NotingContentStore extends ContentStore {
  private waiting: Note[] = [];
  private isWriting = false;

  constructor(
    private readonly store: ContentStore,
    private readonly unitOfWork: UnitOfWork,
  ) {
    super();
  }

  override async put(bytes: Uint8Array): Promise<ContentAddress> {
    const { cid } = addressOf(bytes);
    const [address, returned] = await Promise.all([this.store.put(bytes), this.note([cid])]);
    if (returned.has(cid)) await this.store.put(bytes);
    return address;
  }

  override async putAll(contents: readonly Uint8Array[]): Promise<ContentAddress[]> {
    const cids = contents.map((bytes) => addressOf(bytes).cid);
    const [addresses, returned] = await Promise.all([this.store.putAll(contents), this.note(cids)]);
    const again = contents.filter((_, i) => returned.has(cids[i]!));
    if (again.length > 0) await this.store.putAll(again);
    return addresses;
  }

  override get(cid: string): Promise<Uint8Array | null> {
    return this.store.get(cid);
  }

  override delete(cids: readonly string[]): Promise<void> {
    return this.store.delete(cids);
  }

  override check(): Promise<void> {
    return this.store.check();
  }

  /** One statement for all who ask while the previous one runs. @returns those that may have been deleted meanwhile */
  private note(cids: readonly string[]): Promise<ReadonlySet<string>> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ cids, resolve, reject });
      if (this.isWriting) return;
      this.isWriting = true;
      setImmediate(() => void this.writeAll());
    });
  }

  private async writeAll(): Promise<void> {
    while (this.waiting.length > 0) {
      const notes = this.waiting;
      this.waiting = [];
      try {
        const cids = [...new Set(notes.flatMap((note) => note.cids))];
        const rows = await this.unitOfWork.writeAsSystem((tx) => tx.sql<{ cid: string; returned: boolean }>(NOTE, [cids]));
        const returned = new Set(rows.flatMap((row) => (row.returned ? [row.cid] : [])));
        for (const note of notes) note.resolve(returned);
      } catch (error) {
        for (const note of notes) note.reject(error);
      }
    }
    this.isWriting = false;
  }
}
