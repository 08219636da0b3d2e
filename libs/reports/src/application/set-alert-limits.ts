import { type Actor, Clock, invalidContent } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Injectable } from '@nestjs/common';
import { AlertLimits } from '../alerts.ports.js';
import { type Thresholds, limitProblems, thresholdsOf } from '../domain/alerts/thresholds.js';

export interface LimitsInForce {
  readonly limits: Thresholds;
  readonly own: Readonly<Record<string, number>>;
}

@Injectable()
export class SetAlertLimits {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly alertLimits: AlertLimits,
    private readonly clock: Clock,
  ) {}

  read(actor: Actor): Promise<LimitsInForce> {
    return this.unitOfWork.inTransaction(actor, async (tx) => {
      const own = await this.alertLimits.own(tx);
      return { limits: thresholdsOf(own), own };
    });
  }

  /** @param limits null takes one back; what is absent stays. @throws DomainError 422 `invalid_content` */
  set(actor: Actor, limits: Readonly<Record<string, unknown>>): Promise<LimitsInForce> {
    const problems = limitProblems(limits);
    if (problems.length > 0) throw invalidContent(problems);
    return this.unitOfWork.inTransaction(actor, async (tx) => {
      await this.alertLimits.set(tx, limits as Readonly<Record<string, number | null>>, actor.id, this.clock.now());
      const own = await this.alertLimits.own(tx);
      return { limits: thresholdsOf(own), own };
    });
  }
}
