import { Injectable } from '@nestjs/common';
import { type Actor, ROLES, hasRole } from '#kernel';
import { UnitOfWork } from '#persistence';
import type { CommittedRecord } from '../event-record.js';
import { eventNotPrepared, eventOfOthers } from '../../errors.js';
import { PreparedQueries } from './prepared-events.queries.js';
import { FindEvent } from '../find-event.js';

/** `DELETE /events/{id}`: deletes a prepared event and its reservations. */
@Injectable()
export class WithdrawEvent {
  constructor(
    private readonly work: UnitOfWork,
    private readonly find: FindEvent,
    private readonly events: PreparedQueries,
  ) {}

  /** @throws DomainError 404 `event_not_found`, 403 `process_out_of_scope`, `foreign_event`, 409 `event_not_prepared` */
  withdraw(actor: Actor, id: string): Promise<void> {
    return this.work.inTransaction(actor, async (tx) => {
      const event = await this.find.byId(tx, actor, id, ROLES);
      if (!mayWithdraw(actor, event)) throw eventOfOthers(event.id);
      if (await this.events.withdraw(tx, event.id)) return;
      // Another request withdrew it since it was read, or it was sent or has landed.
      await this.find.byId(tx, actor, id, ROLES);
      throw eventNotPrepared(event.id);
    });
  }
}

const mayWithdraw = (actor: Actor, event: CommittedRecord): boolean =>
  event.preparedBy === actor.id || (event.orgId !== null && event.orgId === actor.orgId) || hasRole(actor, 'COMPLIANCE', 'TENANT_ADMIN');
