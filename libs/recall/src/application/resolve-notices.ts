import { ContentStore, cidFromDataHash } from '#content-storage';
import { Clock } from '#kernel';
import { UnitOfWork } from '#persistence';
import { tenantByTenant } from '#queue';
import { AffectedSets, Holds } from '#traceability';
import { Injectable } from '@nestjs/common';
import { heldBy } from '../domain/hold.js';
import { NO_NOTICE, type RecallNotice, recallNotice } from '../domain/recall-notice.js';
import { HoldBook, type UnreadNotice, UnreadNotices } from '../ports.js';

const AT_ONCE = 20;

/** Asks again for notices that could not be read when their recall landed. What one asks for, a hold or that nothing else be touched, is done then. */
@Injectable()
export class ResolveNotices {
  constructor(
    private readonly work: UnitOfWork,
    private readonly contents: ContentStore,
    private readonly notices: UnreadNotices,
    private readonly affected: AffectedSets,
    private readonly holds: Holds,
    private readonly book: HoldBook,
    private readonly clock: Clock,
  ) {}

  /** @returns how many were read */
  async resolve(leaving = new AbortController().signal): Promise<number> {
    const due = await this.work.asSystem((tx) => this.notices.take(tx, this.clock.now(), AT_ONCE));
    let read = 0;
    await tenantByTenant(due, leaving, async (recall) => {
      // A store that is away, or has other bytes, is asked again like one that has none yet.
      const bytes = await this.contents.get(cidFromDataHash(recall.dataHash)).catch(() => null);
      if (!bytes) return;
      await this.write(recall, recallNotice(bytes) ?? NO_NOTICE);
      read++;
    });
    return read;
  }

  private async write(recall: UnreadNotice, notice: RecallNotice): Promise<void> {
    await this.work.inTransaction({ tenantId: recall.tenantId }, async (tx) => {
      // A lot that a block under way is making would be held neither by that block, which does not know of this notice, nor here.
      if (notice.propagation === 'hold') await this.affected.takeTurn(tx);
      const standing = await this.notices.write(tx, recall.id, notice);
      if (notice.propagation === 'none') await this.affected.forget(tx, recall.chainId, () => this.notices.sparing(tx, recall.id));
      if (notice.propagation !== 'hold' || standing.length === 0) return;
      const held = await this.affected.since(tx, standing, 0);
      const holds = heldBy(held.map((lot) => ({ ...lot, recall: { ...recall, reason: notice.reason } })));
      await this.holds.place(tx, await this.book.place(tx, holds, recall.chainId));
    });
  }
}
