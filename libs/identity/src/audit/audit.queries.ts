import { Injectable } from '@nestjs/common';
import { type Actor, Clock, type Page, type PageRequest, newId } from '#kernel';
import { type SystemTx, type TenantTx, UnitOfWork, pageOf } from '#persistence';
import { AuditLog } from '../contract.js';
import type { AuditActor, AuditEntry } from './audit.js';

export interface AuditRow {
  readonly id: string;
  readonly at: Date;
  readonly action: string;
  readonly actorKind: string;
  readonly actorId: string | null;
  readonly subject: string | null;
  readonly details: Readonly<Record<string, unknown>>;
}

interface AuditFilter {
  readonly action: string | null;
  readonly actorId: string | null;
  readonly subject: string | null;
  readonly from: Date | null;
  /** Exclusive. */
  readonly to: Date | null;
}

@Injectable()
export class AuditQueries extends AuditLog {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async record(tx: TenantTx | SystemTx, tenantId: string, by: Actor | AuditActor, entry: AuditEntry): Promise<void> {
    await tx.sql(
      `insert into identity.audit_entry (tenant_id, id, at, action, actor_kind, actor_id, subject, details)
       values ($1, $2, $3, $4, $5, $6, $7, $8::jsonb)`,
      [tenantId, newId(), this.clock.now(), entry.action, by.kind, by.id, entry.subject ?? null, JSON.stringify(entry.details ?? {})],
    );
  }

  /** Newest first. */
  list(actor: Actor, filter: AuditFilter, page: PageRequest): Promise<Page<AuditRow>> {
    return this.unitOfWork.read(actor, (tx) =>
      pageOf<AuditRow>(tx, page, {
        columns: 'id, at, action, actor_kind as "actorKind", actor_id as "actorId", subject, details',
        from: `identity.audit_entry where tenant_id = $1 and ($2::text is null or action = $2) and ($3::text is null or actor_id = $3)
               and ($4::text is null or subject = $4) and ($5::timestamptz is null or at >= $5) and ($6::timestamptz is null or at < $6)`,
        order: 'at desc, seq desc',
        parameters: [tx.tenantId, filter.action, filter.actorId, filter.subject, filter.from, filter.to],
      }),
    );
  }
}
