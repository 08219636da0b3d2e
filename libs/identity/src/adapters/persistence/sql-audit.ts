import { Injectable } from '@nestjs/common';
import { type Actor, Clock, type Page, type PageRequest, newId } from '#kernel';
import { type SystemTx, type TenantTx, pageOf } from '#persistence';
import { AuditTrail, type AuditFilter, type AuditRow } from '../../administration.ports.js';
import { AuditLog } from '../../contract.js';
import type { AuditActor, AuditEntry } from '../../domain/audit.js';

@Injectable()
export class SqlAuditLog extends AuditLog {
  constructor(private readonly clock: Clock) {
    super();
  }

  override async record(tx: TenantTx | SystemTx, tenantId: string, by: Actor | AuditActor, entry: AuditEntry): Promise<void> {
    await tx.sql(
      `insert into identity.audit_entry (tenant_id, id, at, action, actor_kind, actor_id, subject, details)
       values ($1, $2, $3, $4, $5, $6, $7, $8::jsonb)`,
      [tenantId, newId(), this.clock.now(), entry.action, by.kind, by.id, entry.subject ?? null, JSON.stringify(entry.details ?? {})],
    );
  }
}

@Injectable()
export class SqlAuditTrail extends AuditTrail {
  override list(tx: TenantTx, filter: AuditFilter, page: PageRequest): Promise<Page<AuditRow>> {
    return pageOf<AuditRow>(tx, page, {
      columns: 'id, at, action, actor_kind as "actorKind", actor_id as "actorId", subject, details',
      from: `identity.audit_entry where tenant_id = $1 and ($2::text is null or action = $2) and ($3::text is null or actor_id = $3)
             and ($4::text is null or subject = $4) and ($5::timestamptz is null or at >= $5) and ($6::timestamptz is null or at < $6)`,
      order: 'at desc, seq desc',
      parameters: [tx.tenantId, filter.action, filter.actorId, filter.subject, filter.from, filter.to],
    });
  }
}
