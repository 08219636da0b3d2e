import { createHash } from 'node:crypto';
import { Clock } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { erasuresSeen, holdErasuresSince } from '#sealed-contents';
import { Injectable, Logger } from '@nestjs/common';
import { AlertQueries } from './alerts.queries.js';
import { Narrator } from './narrator.client.js';
import { alertFigures } from './rules/insights.rules.js';

/** Has a language model describe the figures after they changed, outside of every transaction: nothing waits for the model. */
@Injectable()
export class NarrateAlerts {
  private readonly log = new Logger('Insights');

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly alerts: AlertQueries,
    private readonly narrator: Narrator,
    private readonly clock: Clock,
  ) {}

  async narrate(tenantId: string): Promise<void> {
    const { model } = this.narrator;
    if (model === null) return;
    const { figures, narratedOf, erasures } = await this.unitOfWork.inTransaction({ tenantId }, (tx) => this.figures(tx));
    const digest = createHash('sha256')
      .update(JSON.stringify([model, figures]))
      .digest('hex');
    if (digest === narratedOf) return;
    const text = await this.narrator.narrate(figures).catch((error: unknown) => {
      this.log.warn(`the figures were not narrated: ${error instanceof Error ? error.message : 'unknown'}`);
      return undefined;
    });
    // After a failure the next run asks again; the text about other figures must not remain.
    await this.unitOfWork.inTransaction({ tenantId }, async (tx) => {
      if (!(await holdErasuresSince(tx, erasures))) return;
      await this.alerts.saveNarration(tx, { text: text ?? null, model, digest: text === undefined ? '' : digest, at: this.clock.now() });
    });
  }

  private async figures(tx: TenantTx) {
    const all = { from: null, to: null, orgId: null, processes: null, severity: null, type: null, muted: false, now: this.clock.now() };
    const erasures = await erasuresSeen(tx);
    const { activeLots, narratedOf } = await this.alerts.state(tx);
    return { figures: alertFigures(await this.alerts.groups(tx, all), activeLots), narratedOf, erasures };
  }
}
