import { ANY_STATE, type Actor, Clock, type ExpectedState, invalidContent } from '#kernel';
import { type TenantTx, UnitOfWork, lockForChange } from '#persistence';
import { Injectable } from '@nestjs/common';
import { AlertLimitQueries } from './rule-context.queries.js';
import { type Thresholds, limitProblems, thresholdsOf } from './rules/thresholds.js';

interface AlertLimits {
  /** In force: defaults replaced by the tenant's own. */
  readonly limits: Thresholds;
  readonly own: Readonly<Record<string, number>>;
}

@Injectable()
export class ChangeAlertLimits {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly alertLimits: AlertLimitQueries,
    private readonly clock: Clock,
  ) {}

  read(actor: Actor): Promise<AlertLimits> {
    return this.unitOfWork.read(actor, (tx) => this.current(tx));
  }

  /** @param limits null restores the default; absent ones stay. @throws DomainError 422 `invalid_content`, 412 */
  change(actor: Actor, limits: Readonly<Record<string, unknown>>, expected: ExpectedState = ANY_STATE): Promise<AlertLimits> {
    const problems = limitProblems(limits);
    if (problems.length > 0) throw invalidContent(problems);
    return this.unitOfWork.inTransaction(actor, async (tx) => {
      await lockForChange(tx, 'reporting.alert_limit');
      expected.check(await this.current(tx));
      await this.alertLimits.set(tx, limits as Readonly<Record<string, number | null>>, actor.id, this.clock.now());
      return this.current(tx);
    });
  }

  private async current(tx: TenantTx): Promise<AlertLimits> {
    const own = await this.alertLimits.own(tx);
    return { limits: thresholdsOf(own), own };
  }
}
