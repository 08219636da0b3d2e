import { MemberMail, type Recipient } from '#identity';
import type { TenantTx } from '#persistence';
import { AskedHolders } from '#recall';
import { Injectable } from '@nestjs/common';
import { type Audience, type Matter, recallMatter, reminderAfter } from './notice.js';
import { NoticeSourceQueries } from './notice-sources.queries.js';

/** Asks the holders of recalls and drills what they did, and reminds who has not answered. */
@Injectable()
export class GatherRecallRequests {
  constructor(
    private readonly members: MemberMail,
    private readonly sources: NoticeSourceQueries,
    private readonly holders: AskedHolders,
  ) {}

  recipients(tx: TenantTx): Promise<readonly Recipient[]> {
    return this.members.recipients(tx);
  }

  async matters(tx: TenantTx, audience: Audience, now: Date): Promise<readonly Matter[]> {
    const matters: Matter[] = [];
    for (const request of await this.sources.dueRequests(tx, now)) {
      const open = (await this.holders.of(tx, request.recallId)).filter(({ lots, acknowledged }) => acknowledged < lots);
      matters.push(...open.map((holder) => recallMatter(request, holder, audience.ofAddress(holder.address))));
      const next = open.length === 0 ? null : reminderAfter(request.askedAt, request.reminders);
      await this.sources.asked(tx, request.recallId, next);
    }
    return matters;
  }
}
