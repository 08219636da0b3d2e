import { Injectable } from '@nestjs/common';
import { type Actor, Clock, invalidContent } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { examineAmendment } from '../domain/amendment.js';
import type { ChainEvent } from '../domain/chain-event.js';
import { requireStanding } from '../domain/correction.js';
import { notEntitled } from '../domain/errors.js';
import { SchemaCompiler } from '../domain/schema-compiler.js';
import { ChainEvents, ProcessMaps } from '../ports.js';
import type { Examined } from './examine-event.js';
import { FindEvent } from './find-event.js';

/** What new content for an event comes to, and whether the chain's projection would listen to its sender. */
@Injectable()
export class ExamineAmendment {
  private readonly schemas = new SchemaCompiler();

  constructor(
    private readonly work: UnitOfWork,
    private readonly find: FindEvent,
    private readonly events: ChainEvents,
    private readonly maps: ProcessMaps,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError 404 `event_not_found`, 403 `process_out_of_scope`, `not_entitled`, 409 `event_not_landed`, `event_voided`, 422 */
  async examine(
    actor: Actor,
    eventId: string,
    metadata: Readonly<Record<string, unknown>>,
    from: string | null,
  ): Promise<Examined & { readonly corrected: ChainEvent }> {
    const now = this.clock.now();
    return this.work.inTransaction(actor, async (tx) => {
      const corrected = await this.find.byId(tx, actor, eventId);
      requireStanding(corrected);
      if (!(await this.counts(tx, corrected, from))) throw notEntitled(from);
      const published = corrected.processType === null ? null : await this.maps.process(tx, corrected.processType);
      if (!published)
        throw invalidContent([{ pointer: '', code: 'unknown_process_type', message: 'no published map has the process of this event' }]);
      return { ...examineAmendment(corrected, published, metadata, this.schemas, now), now, corrected };
    });
  }

  /** The projection believes whoever recorded the event, and admins of the contract. Without a sender the question is open. */
  private async counts(tx: TenantTx, event: ChainEvent, from: string | null): Promise<boolean> {
    return from === null || from === event.actor || this.events.isContractAdmin(tx, event.contract!, from);
  }
}
