import { Injectable } from '@nestjs/common';
import { AuditLog } from '#identity';
import { ANY_STATE, type Actor, Clock, type ExpectedState } from '#kernel';
import { UnitOfWork, lockForChange } from '#persistence';
import type { TenantRules } from '../../process-maps/event-reading.js';
import { TenantRulesQueries } from './tenant-rules.queries.js';

/** What the tenant's events may not do; counts from the next validation on. What changed is in the audit log. */
@Injectable()
export class ChangeRules {
  constructor(
    private readonly work: UnitOfWork,
    private readonly rules: TenantRulesQueries,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /** What is absent stays as it is. @returns the rules from now on @throws DomainError 412 */
  change(actor: Actor, changes: Partial<TenantRules>, expected: ExpectedState = ANY_STATE): Promise<TenantRules> {
    return this.work.inTransaction(actor, async (tx) => {
      await lockForChange(tx, 'traceability.tenant_rules');
      const { blockExpired, blockRecallAffected, contents } = await this.rules.of(tx);
      const from: TenantRules = { blockExpired, blockRecallAffected, contents };
      expected.check(from);
      const to = {
        blockExpired: changes.blockExpired ?? from.blockExpired,
        blockRecallAffected: changes.blockRecallAffected ?? from.blockRecallAffected,
        contents: changes.contents ?? from.contents,
      };
      if (Object.entries(to).every(([name, value]) => from[name as keyof TenantRules] === value)) return from;
      await this.rules.set(tx, to, { id: actor.id, at: this.clock.now() });
      await this.audit.record(tx, actor.tenantId, actor, { action: 'rules.changed', details: { from, to } });
      return to;
    });
  }
}
