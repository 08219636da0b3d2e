import { Injectable } from '@nestjs/common';
import { type Actor, ROLES, hasRole } from '#kernel';
import { UnitOfWork } from '#persistence';
import type { ChainEvent } from '../domain/chain-event.js';
import { eventNotPrepared, foreignEvent } from '../domain/errors.js';
import { PreparedEvents } from '../ports.js';
import { FindEvent } from './find-event.js';

/** `DELETE /events/{id}`: a prepared event is forgotten, and what it reached for is free of it. */
@Injectable()
export class WithdrawEvent {
  constructor(
    private readonly work: UnitOfWork,
    private readonly find: FindEvent,
    private readonly events: PreparedEvents,
  ) {}

  /** @throws DomainError 404 `event_not_found`, 403 `process_out_of_scope`, `foreign_event`, 409 `event_not_prepared` */
  withdraw(actor: Actor, id: string): Promise<void> {
    return this.work.inTransaction(actor, async (tx) => {
      const event = await this.find.byId(tx, actor, id, ROLES);
      if (!mayWithdraw(actor, event)) throw foreignEvent(event.id);
      if (await this.events.withdraw(tx, event.id)) return;
      // It was withdrawn by somebody else since it was read, or it has been sent or has landed.
      await this.find.byId(tx, actor, id, ROLES);
      throw eventNotPrepared(event.id);
    });
  }
}

const mayWithdraw = (actor: Actor, event: ChainEvent): boolean =>
  event.preparedBy === actor.id || (event.orgId !== null && event.orgId === actor.orgId) || hasRole(actor, 'COMPLIANCE', 'TENANT_ADMIN');
