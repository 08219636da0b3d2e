import { type Actor, Clock } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Injectable } from '@nestjs/common';
import { DEFAULT_CHOICE, NOTICE_TOPICS, type NoticeChoice } from './notice.js';
import { NoticeLinks, type UnsubscribeRequest } from './notice.settings.js';
import { NoticeQueries } from './notices.queries.js';

/** What a person does with their notices. */
@Injectable()
export class ChangeNotices {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly notices: NoticeQueries,
    private readonly links: NoticeLinks,
    private readonly clock: Clock,
  ) {}

  /** @param ids null: all @returns how many are unread still */
  markRead(actor: Actor, ids: readonly string[] | null): Promise<number> {
    return this.unitOfWork.inTransaction(actor, async (tx) => {
      await this.notices.markRead(tx, actor.id, ids, this.clock.now());
      return this.notices.countUnread(tx, actor.id);
    });
  }

  /** A choice for each topic, in the order of the topics. */
  async choices(actor: Actor): Promise<readonly NoticeChoice[]> {
    const made = await this.unitOfWork.read(actor, (tx) => this.notices.choices(tx, actor.id));
    return NOTICE_TOPICS.map((topic) => made.find((one) => one.topic === topic) ?? { topic, ...DEFAULT_CHOICE });
  }

  async choose(actor: Actor, choice: NoticeChoice): Promise<void> {
    await this.unitOfWork.inTransaction(actor, (tx) => this.notices.choose(tx, actor.id, choice));
  }

  /** What a link in a mail would end; null for a link that this service has not made. */
  read(token: string): UnsubscribeRequest | null {
    return this.links.read(token);
  }

  /** Who has the mail may end such mails: they change nothing else, and the person can switch them on again. */
  async unsubscribe({ tenantId, userId, topic }: UnsubscribeRequest): Promise<void> {
    const topics = topic === 'all' ? NOTICE_TOPICS : [topic];
    await this.unitOfWork.inTransaction({ tenantId }, (tx) => this.notices.stopMails(tx, userId, topics));
  }
}
