import { AuditLog } from '#identity';
import type { Actor } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Injectable } from '@nestjs/common';
import { epcisEventNotFound, epcisEventRecorded } from '../errors.js';
import { EpcisEventQueries } from './epcis-events.queries.js';

/** Deletes an event that is kept only and its error declarations, of any organisation. */
@Injectable()
export class DeleteKeptEvent {
  constructor(
    private readonly work: UnitOfWork,
    private readonly events: EpcisEventQueries,
    private readonly audit: AuditLog,
  ) {}

  /** @throws DomainError 404 `event_not_found`, 409 `epcis_event_recorded` */
  async delete(actor: Actor, eventID: string): Promise<void> {
    await this.work.inTransaction(actor, async (tx) => {
      const found = await this.events.keysOf(tx, eventID);
      if (found.length === 0) throw epcisEventNotFound(eventID);
      const kept = found.filter(({ isKept }) => isKept).map(({ key }) => key);
      if (kept.length === 0) throw epcisEventRecorded(eventID);
      await this.events.remove(tx, kept);
      await this.audit.record(tx, actor.tenantId, actor, {
        action: 'epcis_event.deleted',
        subject: null,
        details: { events: kept.length },
      });
    });
  }
}
