import { Injectable } from '@nestjs/common';
import { AuditLog } from '#identity';
import { type Actor, Clock } from '#kernel';
import { UnitOfWork } from '#persistence';
import type { TenantRules } from '../domain/event-context.js';
import { Rules } from '../ports.js';

/** What the tenant's events may not do; counts from the next validation on. What changed is in the audit log. */
@Injectable()
export class ChangeRules {
  constructor(
    private readonly work: UnitOfWork,
    private readonly rules: Rules,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /** What is absent stays as it is. @returns the rules from now on */
  change(actor: Actor, asked: Partial<TenantRules>): Promise<TenantRules> {
    return this.work.inTransaction(actor, async (tx) => {
      const from = await this.rules.of(tx);
      const to = {
        blockExpired: asked.blockExpired ?? from.blockExpired,
        blockRecallAffected: asked.blockRecallAffected ?? from.blockRecallAffected,
      };
      if (to.blockExpired === from.blockExpired && to.blockRecallAffected === from.blockRecallAffected) return from;
      await this.rules.set(tx, to, { id: actor.id, at: this.clock.now() });
      await this.audit.record(tx, actor.tenantId, actor, { action: 'rules.changed', details: { from, to } });
      return to;
    });
  }
}
