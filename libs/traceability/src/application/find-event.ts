import { Injectable } from '@nestjs/common';
import { processOutOfScope, requireProcess } from '#identity';
import { type Actor, type Problem, type Role, invalidContent, isUuid } from '#kernel';
import type { TenantTx } from '#persistence';
import type { ChainEvent } from '../domain/chain-event.js';
import { eventNotFound } from '../domain/errors.js';
import { reachesEverything } from '../domain/projection-scope.js';
import { ChainEvents } from '../ports.js';

/** Who voids and supersedes (api-decisions §2). */
export const CORRECTORS: readonly Role[] = ['COMPLIANCE', 'TENANT_ADMIN'];

/** One event, for whoever reaches its process; and the events that a correction names. */
@Injectable()
export class FindEvent {
  constructor(private readonly events: ChainEvents) {}

  /** @throws DomainError 404 `event_not_found`, 403 `process_out_of_scope` */
  async byId(tx: TenantTx, actor: Actor, id: string, among: readonly Role[] = CORRECTORS): Promise<ChainEvent> {
    const event = isUuid(id) ? await this.events.byId(tx, id.toLowerCase()) : null;
    if (!event) throw eventNotFound(id);
    // An event of unknown process is for those whom some role lets into every process.
    if (event.processType !== null) requireProcess(actor, event.processType, among);
    else if (!reachesEverything(actor)) throw processOutOfScope(event.processId);
    return event;
  }

  /** @throws DomainError 422 for a corrective event that is unknown, not on chain, or the wrong event itself */
  async requireCorrective(tx: TenantTx, event: ChainEvent, ids: readonly string[]): Promise<void> {
    const landed = await this.events.landed(tx, ids.filter(isUuid));
    const problems = ids.flatMap((id, i): Problem[] => {
      const pointer = `/correctiveEventIDs/${i}`;
      if (id === event.id) return [{ pointer, code: 'corrects_itself', message: 'an event does not correct itself' }];
      if (ids.indexOf(id) < i) return [{ pointer, code: 'repeated', message: `event ${id} is named twice` }];
      return landed.has(id) ? [] : [{ pointer, code: 'event_not_found', message: `there is no event ${id} on chain` }];
    });
    if (problems.length > 0) throw invalidContent(problems);
  }
}
