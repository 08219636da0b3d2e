import { Injectable } from '@nestjs/common';
import type { Language } from '#kernel';
import { UnitOfWork } from '#persistence';
import { AccountsQueries } from './accounts.queries.js';

/** The language of mails to a person, in all tenants. */
@Injectable()
export class ChangeLanguage {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly accounts: AccountsQueries,
  ) {}

  async change({ userId }: { readonly userId: string }, language: Language): Promise<void> {
    await this.unitOfWork.asSystem((tx) => this.accounts.setLanguage(tx, userId, language));
  }
}
