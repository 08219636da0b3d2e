import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '#kernel';
import { UnitOfWork } from '#persistence';
import { IdentitySettings } from '../identity.settings.js';
import { mailboxOf } from './mailbox.js';

const DAY_MS = 86_400_000;

/** Counts the mails of the last day to each mailbox, over all tenants. */
@Injectable()
export class MailsQueries {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly settings: IdentitySettings,
    private readonly clock: Clock,
  ) {}

  /** Counts one more. @returns its id, or null when the mailbox has had the most of a day */
  count(address: string): Promise<string | null> {
    const mailbox = createHash('sha256').update(mailboxOf(address)).digest();
    const now = this.clock.now();
    return this.unitOfWork.asSystem(async (tx) => {
      // Mails to one mailbox wait for each other, so that the limit holds.
      await tx.sql(`select pg_advisory_xact_lock(hashtextextended('identity.mail:' || encode($1, 'hex'), 0))`, [mailbox]);
      await tx.sql('delete from identity.mail_sent where sent_at <= $1', [new Date(now.getTime() - DAY_MS)]);
      const [counted] = await tx.sql<{ id: string }>(
        `insert into identity.mail_sent (mailbox_hash, sent_at)
         select $1, $2 where (select count(*) from identity.mail_sent where mailbox_hash = $1) < $3 returning id`,
        [mailbox, now, this.settings.mailsPerDay],
      );
      return counted?.id ?? null;
    });
  }

  /** Takes back one that was not sent. */
  async release(id: string): Promise<void> {
    await this.unitOfWork.writeAsSystem((tx) => tx.sql('delete from identity.mail_sent where id = $1', [id]));
  }
}
