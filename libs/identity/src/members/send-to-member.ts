import { Injectable } from '@nestjs/common';
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

  override async send(tenantId: string, userId: string, mail: MemberMailText): Promise<'sent' | 'gone' | 'refused'> {
    const to = await this.unitOfWork.asSystem((tx) => this.members.emailOf(tx, tenantId, userId));
    if (to === null) return 'gone';
    try {
      await this.mailer.send({ to, ...mail });
      return 'sent';
    } catch (error) {
      if (error instanceof AddressRefused) return 'refused';
      throw error;
    }
  }
}
