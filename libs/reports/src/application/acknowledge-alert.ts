import { type Actor, Clock } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Injectable } from '@nestjs/common';
import { Alerts, type StandingAlert } from '../alerts.ports.js';
import { alertNotFound, muteInPast } from '../domain/errors.js';
import { whoseFigures } from '../domain/whose-figures.js';

/** Somebody takes note of an alert, and may have it silent for a while. It ends with the alert: what comes back is new. */
@Injectable()
export class AcknowledgeAlert {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly alerts: Alerts,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError 404 `alert_not_found`, 403 `own_organisation_only`, 422 `mute_in_past` */
  acknowledge(actor: Actor, id: string, note: string | null, mutedUntil: Date | null): Promise<StandingAlert> {
    const now = this.clock.now();
    if (mutedUntil !== null && mutedUntil <= now) throw muteInPast();
    return this.change(actor, id, { by: actor.id, at: now, note, mutedUntil });
  }

  /** @throws DomainError 404 `alert_not_found`, 403 `own_organisation_only` */
  async takeBack(actor: Actor, id: string): Promise<void> {
    await this.change(actor, id, null);
  }

  private change(actor: Actor, id: string, to: Parameters<Alerts['acknowledge']>[2]): Promise<StandingAlert> {
    const orgId = whoseFigures(actor, undefined);
    return this.unitOfWork.inTransaction(actor, async (tx) => {
      if (!(await this.alerts.byId(tx, id, orgId))) throw alertNotFound(id);
      await this.alerts.acknowledge(tx, id, to);
      return (await this.alerts.byId(tx, id, orgId))!;
    });
  }
}
