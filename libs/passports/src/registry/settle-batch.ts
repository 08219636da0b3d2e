import { AuditLog } from '#identity';
import { type Actor, Clock, type Problem, invalidContent } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Injectable } from '@nestjs/common';
import type { BatchOutcome } from './registration.js';
import { RegistryQueries } from './registry.queries.js';

/** Keeps what became of entries that went to a registry as a file: all of them or none. They leave the next file. */
@Injectable()
export class SettleBatch {
  constructor(
    private readonly work: UnitOfWork,
    private readonly registry: RegistryQueries,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError 422 with `registration_not_waiting` by pointer */
  async settle(actor: Actor, outcomes: readonly BatchOutcome[]): Promise<{ readonly registered: number; readonly refused: number }> {
    const at = this.clock.now();
    // The entries of a passport are settled in their order, whatever the order of the file.
    const inOrder = outcomes.map((outcome, place) => ({ outcome, place })).toSorted((a, b) => a.outcome.number - b.outcome.number);
    return this.work.inTransaction(actor, async (tx) => {
      const problems: Problem[] = [];
      for (const { outcome, place } of inOrder) {
        const settlement =
          'registrationId' in outcome
            ? ({ state: 'registered', registrationId: outcome.registrationId, at } as const)
            : ({ state: 'refused', reasonCode: outcome.code, reason: outcome.message, at } as const);
        if (!(await this.registry.settle(tx, outcome, settlement))) problems.push(notWaiting(outcome, place));
      }
      if (problems.length > 0) throw invalidContent(problems);
      const refused = outcomes.filter((outcome) => 'code' in outcome).length;
      const details = { registered: outcomes.length - refused, refused };
      await this.audit.record(tx, actor.tenantId, actor, { action: 'passports.registrations_settled', details });
      return details;
    });
  }
}

const notWaiting = ({ passportId, number }: BatchOutcome, place: number): Problem => ({
  pointer: `/outcomes/${place}`,
  code: 'registration_not_waiting',
  message: `entry ${number} of passport ${passportId} does not wait, or an earlier one of this passport does`,
});
