import { type Actor, Clock, requireEveryProcess } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Injectable } from '@nestjs/common';
import { alertNotFound, muteInPast } from '../errors.js';
import { reportedOrganisation } from '../reports/report.js';
import { type Acknowledgement, AlertQueries, type StoredAlert } from './alerts.queries.js';

/** An acknowledged alert may be muted. Both end when the alert is resolved: a returning alert is new. */
@Injectable()
export class AcknowledgeAlert {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly alerts: AlertQueries,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError 404 `alert_not_found`, 403 `own_organisation_only`, `beyond_own_grants`, 422 `mute_in_past` */
  acknowledge(actor: Actor, id: string, note: string | null, mutedUntil: Date | null): Promise<StoredAlert> {
    const now = this.clock.now();
    if (mutedUntil !== null && mutedUntil <= now) throw muteInPast();
    return this.save(actor, id, { by: actor.id, at: now, note, mutedUntil });
  }

  /** @throws DomainError 404 `alert_not_found`, 403 `own_organisation_only`, `beyond_own_grants` */
  async withdraw(actor: Actor, id: string): Promise<void> {
    await this.save(actor, id, null);
  }

  private save(actor: Actor, id: string, acknowledgement: Acknowledgement | null): Promise<StoredAlert> {
    const orgId = reportedOrganisation(actor, undefined);
    // The alerts of the whole tenant; an ADMIN acknowledges those of the own organisation.
    if (orgId === null) requireEveryProcess(actor, ['COMPLIANCE', 'TENANT_ADMIN']);
    return this.unitOfWork.inTransaction(actor, async (tx) => {
      if (!(await this.alerts.byId(tx, id, orgId))) throw alertNotFound(id);
      await this.alerts.acknowledge(tx, id, acknowledgement);
      return (await this.alerts.byId(tx, id, orgId))!;
    });
  }
}
