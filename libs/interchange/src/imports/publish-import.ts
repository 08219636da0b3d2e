import { Injectable } from '@nestjs/common';
import { Tenants } from '#identity';
import { Clock } from '#kernel';
import type { TenantTx } from '#persistence';
import { importFinished } from '../topics.js';
import type { ImportFormat, ImportRecord } from './import-run.js';

/** Publishes `import.finished`, when rows were checked or prepared; a proposal is an answer to who waits for it. */
@Injectable()
export class PublishImport {
  constructor(
    private readonly tenants: Tenants,
    private readonly clock: Clock,
  ) {}

  /** @param ended as it is now */
  async publish(tx: TenantTx, { id, task, state, format, counts, createdBy, createdAt }: ImportRecord): Promise<void> {
    if (task === 'propose') return;
    const { slug } = await this.tenants.byId(tx.tenantId);
    const at = this.clock.now();
    await tx.publish([
      importFinished(
        {
          tenantId: slug,
          importId: id,
          format: format as ImportFormat | null,
          dryRun: task === 'check',
          outcome: state === 'failed' || state === 'cancelled' ? state : 'finished',
          rows: counts.total,
          validRows: counts.valid,
          invalidRows: counts.invalid,
          startedBy: createdBy,
          startedAt: createdAt.toISOString(),
          finishedAt: at.toISOString(),
        },
        { key: `import.finished:${id}:${at.getTime()}`, occurredAt: at },
      ),
    ]);
  }
}
