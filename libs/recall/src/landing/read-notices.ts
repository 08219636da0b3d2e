import { cidFromDataHash } from '#content-storage';
import { UnitOfWork } from '#persistence';
import { ReadContents } from '#sealed-contents';
import { forEachTenant } from '#queue';
import { Injectable } from '@nestjs/common';
import { PropagateRecall } from '../holds/propagate-recall.js';
import { NoticeQueries, type UnreadNotice } from '../recalls/recalls.queries.js';
import { NO_NOTICE, type RecallNotice, recallNotice } from '../recalls/recall.js';

const AT_ONCE = 20;

/** Reads notices that could not be read when their recall landed, and does what they ask for: holds, or no propagation. */
@Injectable()
export class ReadNotices {
  constructor(
    private readonly work: UnitOfWork,
    private readonly contents: ReadContents,
    private readonly notices: NoticeQueries,
    private readonly propagation: PropagateRecall,
  ) {}

  /** @returns how many were read */
  async readDue(now: Date, leaving = new AbortController().signal): Promise<number> {
    const due = await this.work.writeAsSystem((tx) => this.notices.acquire(tx, now, AT_ONCE));
    let read = 0;
    await forEachTenant(due, leaving, async (recall) => {
      // A store that does not answer, or has other bytes, is asked again later, like one without the content.
      const cid = cidFromDataHash(recall.dataHash);
      const bytes = await this.contents.get(cid).catch(() => null);
      if (!bytes) return;
      await this.save(recall, recallNotice(await this.contents.inClear(recall, { cid, bytes })) ?? NO_NOTICE);
      read++;
    });
    return read;
  }

  private async save({ tenantId, id, chainId, recalledBy }: UnreadNotice, notice: RecallNotice): Promise<void> {
    const { propagation, reason } = notice;
    await this.work.inTransaction({ tenantId }, async (tx) => {
      // A block that is being applied does not know of this notice: a lot that it mints would not be held, neither by it nor here.
      if (propagation === 'hold') await this.propagation.waitForBlocks(tx);
      const roots = await this.notices.save(tx, id, notice);
      if (propagation === 'none') await this.propagation.forget(tx, chainId, [id]);
      if (propagation === 'hold' && roots.length > 0) await this.propagation.hold(tx, chainId, [{ id, reason, recalledBy, roots }], 0);
    });
  }
}
