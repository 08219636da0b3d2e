import { Injectable } from '@nestjs/common';
import { type Actor, isUuid, processOutOfScope, requireProcess, type Role } from '#kernel';
import type { TenantTx } from '#persistence';
import type { CommittedRecord } from './event-record.js';
import { eventNotFound } from '../errors.js';
import { reachesEverything } from '../process-maps/visibility.js';
import { CommittedQueries } from './event-facts.queries.js';

/** Who voids and supersedes (docs/spec/api.md#identity). */
export const CORRECTORS: readonly Role[] = ['COMPLIANCE', 'TENANT_ADMIN'];

/** One event, for callers whose scope contains its process. */
@Injectable()
export class FindEvent {
  constructor(private readonly events: CommittedQueries) {}

  /** @throws DomainError 404 `event_not_found`, 403 `process_out_of_scope` */
  async byId(tx: TenantTx, actor: Actor, id: string, among: readonly Role[] = CORRECTORS): Promise<CommittedRecord> {
    const event = isUuid(id) ? await this.events.byId(tx, id.toLowerCase()) : null;
    if (!event) throw eventNotFound(id);
    // An event of an unknown process is for callers with a role that is not limited to processes.
    if (event.processType !== null) requireProcess(actor, event.processType, among);
    else if (!reachesEverything(actor)) throw processOutOfScope(event.processId);
    return event;
  }
}
