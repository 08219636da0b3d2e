import { type AfterEvent, EventAccounts } from '#traceability';
import { Injectable } from '@nestjs/common';
import { exportEvent } from '../../domain/export-event.js';
import { JournalSource } from '../../ports.js';

@Injectable()
export class RecordedEvents extends JournalSource {
  constructor(private readonly accounts: EventAccounts) {
    super();
  }

  override async page(...[tx, { actor, filter, naming }, after, limit]: Parameters<JournalSource['page']>) {
    const place: AfterEvent | null = after && { eventTime: after.at, id: after.key === '' ? FIRST : after.key === END ? LAST : after.key };
    const accounts = await this.accounts.page(tx, actor, filter, place, limit);
    return accounts.map((account) => ({
      at: account.event.eventTime === null ? null : new Date(account.event.eventTime),
      key: account.event.id,
      told: exportEvent(account, naming),
    }));
  }
}

/** Before and behind every key of one time. */
export const END = '\u{10ffff}';
const FIRST = '00000000-0000-0000-0000-000000000000';
const LAST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
