import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { UnitOfWork } from '#persistence';
import { type ErasureEntry, ErasureLog, entryName } from '#sealed-contents';
import { EraseContents } from './erase-contents.js';
import { PrivacyQueries } from './privacy.queries.js';

/** Contents that are looked for at once. */
const AT_ONCE = 1_000;

/**
 * The erasure log and the database say the same. A database that was restored from a dump of before has values again that were
 * erased: they are erased again before the service opens. What a crash kept out of the erasure log is written now.
 */
@Injectable()
export class SynchroniseErasures implements OnModuleInit {
  private readonly log = new Logger('Privacy');

  constructor(
    private readonly work: UnitOfWork,
    private readonly written: ErasureLog,
    private readonly events: PrivacyQueries,
    private readonly contents: EraseContents,
  ) {}

  async onModuleInit(): Promise<void> {
    const replayed = await this.synchronise();
    if (replayed > 0)
      this.log.warn(`The database had values of ${replayed} erased contents again, as after a restore. They were erased again.`);
  }

  /** @returns contents that were erased again */
  async synchronise(): Promise<number> {
    const stored = await this.keep();
    const entries = this.written.read();
    const back = await this.restored(entries);
    let replayed = 0;
    for (const entry of entries) {
      const contents = entry.contents.filter(({ cid }) => back.has(cid));
      if (contents.length === 0 && stored.has(entryName(entry))) continue;
      await this.work.inTransaction({ tenantId: entry.tenantId }, async (tx) => {
        if (contents.length > 0) await this.contents.erase(tx, contents, new Date(entry.erasedAt), null);
        await this.contents.note(tx, entry);
      });
      replayed += contents.length;
    }
    return replayed;
  }

  /** Appends what the erasure log lacks. @param since null: from the beginning @returns the entries of the database */
  async keep(since: Date | null = null): Promise<ReadonlySet<string>> {
    const stored = await this.work.readAsSystem((tx) => this.events.erasures(tx, since));
    const written = this.written.names();
    this.written.append(stored.filter((entry) => !written.has(entryName(entry))));
    return new Set(stored.map(entryName));
  }

  private async restored(entries: readonly ErasureEntry[]): Promise<ReadonlySet<string>> {
    const contents = entries.flatMap(({ tenantId, contents: own }) => own.map((content) => ({ ...content, tenantId })));
    const back = new Set<string>();
    for (let i = 0; i < contents.length; i += AT_ONCE) {
      const cids = await this.work.readAsSystem((tx) => this.events.restored(tx, contents.slice(i, i + AT_ONCE)));
      for (const cid of cids) back.add(cid);
    }
    return back;
  }
}
