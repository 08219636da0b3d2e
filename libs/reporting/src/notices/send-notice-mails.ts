import { MemberMail } from '#identity';
import { Clock, type Language } from '#kernel';
import { Injectable, Logger } from '@nestjs/common';
import { ReportingSettings } from '../reporting.settings.js';
import type { NoticeTopic } from './notice.js';
import { nextAttempt, noticeMailText } from './notice-mail.js';
import { type LeasedMail, NoticeMailQueries } from './notice-mails.queries.js';
import { NoticeLinks } from './notice.settings.js';

const AT_ONCE = 10;
/** Longer than one attempt takes: a process that dies leaves its mails to the others after it. */
const LEASE_MS = 120_000;

/**
 * Sends mails with notices. Each mail is written down before it is tried, with what it says: an attempt that fails is repeated with the same
 * Message-ID, so that a mail is not lost, and who got it before the answer was lost can recognise the second one.
 */
@Injectable()
export class SendNoticeMails {
  private readonly log = new Logger('Notices');

  constructor(
    private readonly mails: NoticeMailQueries,
    private readonly members: MemberMail,
    private readonly links: NoticeLinks,
    private readonly settings: ReportingSettings,
    private readonly clock: Clock,
  ) {}

  /** @returns how many mails were tried */
  async send(signal: AbortSignal): Promise<number> {
    if (!this.members.isConfigured) return 0;
    const now = this.clock.now();
    await this.mails.makeMails(now, new Date(now.getTime() - this.settings.notices.mailsEveryMs));
    let tried = 0;
    while (!signal.aborted) {
      const at = this.clock.now();
      const leased = await this.mails.lease(at, new Date(at.getTime() + LEASE_MS), AT_ONCE);
      await Promise.all(leased.map((mail) => this.one(mail)));
      tried += leased.length;
      if (leased.length < AT_ONCE) break;
    }
    return tried;
  }

  private async one(mail: LeasedMail): Promise<void> {
    const { tenantId, userId, id } = mail;
    const { tenant, notices } = await this.mails.contents(mail);
    const addresses = {
      portal: (path: string) => this.links.portal(path),
      off: (topic: NoticeTopic | 'all') => this.links.unsubscribe({ tenantId, userId, topic }),
    };
    const mailIn = (language: Language) => ({ id, ...noticeMailText(tenant, notices, addresses, language) });
    try {
      const state = notices.length === 0 ? 'gone' : await this.members.send(tenantId, userId, mailIn);
      await this.mails.end(mail, state, this.clock.now());
    } catch (error) {
      await this.failed(mail, error instanceof Error ? error.message : String(error));
    }
  }

  private async failed(mail: LeasedMail, reason: string): Promise<void> {
    const now = this.clock.now();
    const next = nextAttempt(mail, now, this.settings.notices.everyMs);
    if (next === null) this.log.warn(`a mail with notices was given up: ${reason}`);
    await (next === null ? this.mails.end(mail, 'failed', now) : this.mails.tryAgain(mail, next, reason));
  }
}
