import { Injectable } from '@nestjs/common';
import { type Language, LANGUAGES } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { MemberMail, type MemberMailText, type Recipient } from '../contract.js';
import { IdentitySettings } from '../identity.settings.js';
import { AddressRefused, Mailer } from '../mail/mailer.client.js';
import { RecipientQueries } from './recipients.queries.js';

/** Mail to members that the service sends by itself; who asked for a mail to somebody else uses `SendMail`. */
@Injectable()
export class SendToMember extends MemberMail {
  override readonly isConfigured: boolean;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly members: RecipientQueries,
    private readonly mailer: Mailer,
    settings: IdentitySettings,
  ) {
    super();
    this.isConfigured = settings.mail.transport.kind !== 'none';
  }

  override recipients(tx: TenantTx): Promise<readonly Recipient[]> {
    return this.members.all(tx);
  }

  override async send(
    tenantId: string,
    userId: string,
    mailIn: (language: Language) => MemberMailText,
  ): Promise<'sent' | 'gone' | 'refused'> {
    const reader = await this.unitOfWork.asSystem((tx) => this.members.readerOf(tx, tenantId, userId));
    if (reader === null) return 'gone';
    try {
      await this.mailer.send({ to: reader.email, ...mailIn(reader.language ?? LANGUAGES[0]) });
      return 'sent';
    } catch (error) {
      if (error instanceof AddressRefused) return 'refused';
      throw error;
    }
  }
}
