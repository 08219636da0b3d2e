import { createHash } from 'node:crypto';
import { Clock } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { Injectable, Logger } from '@nestjs/common';
import { type AlertFigures, Alerts, Narrator } from '../alerts.ports.js';
import { figuresOf } from '../domain/alerts/figures.js';

/** Has the figures worded when they changed, after a round and outside of every transaction: nobody waits for a model. */
@Injectable()
export class NarrateAlerts {
  private readonly log = new Logger('Insights');

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly alerts: Alerts,
    private readonly narrator: Narrator,
    private readonly clock: Clock,
  ) {}

  async narrate(tenantId: string): Promise<void> {
    const { model } = this.narrator;
    if (model === null) return;
    const { figures, narratedOf } = await this.unitOfWork.inTransaction({ tenantId }, (tx) => this.figures(tx));
    const of = createHash('sha256')
      .update(JSON.stringify([model, figures]))
      .digest('hex');
    if (of === narratedOf) return;
    const text = await this.narrator.narrate(figures).catch((error: unknown) => {
      this.log.warn(`the figures were not worded: ${error instanceof Error ? error.message : 'unknown'}`);
      return undefined;
    });
    // What failed is asked again with the next round; the words of other figures must not stand beside these.
    await this.unitOfWork.inTransaction({ tenantId }, (tx) =>
      this.alerts.narrated(tx, { text: text ?? null, model, of: text === undefined ? '' : of, at: this.clock.now() }),
    );
  }

  private async figures(tx: TenantTx): Promise<{ readonly figures: AlertFigures; readonly narratedOf: string | null }> {
    const everything = {
      from: null,
      to: null,
      orgId: null,
      processes: null,
      severity: null,
      type: null,
      muted: false,
      now: this.clock.now(),
    };
    const { activeLots, narratedOf } = await this.alerts.state(tx);
    return { figures: figuresOf(await this.alerts.sums(tx, everything), activeLots), narratedOf };
  }
}
