import { type TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';

export type ErrorBehaviour = 'rollback' | 'proceed';

/** What became of one event of a document when it was captured. */
export interface CapturedOutcome {
  readonly pointer: string;
  readonly eventID: string | null;
  readonly eventHashID: string | null;
  /** `prepared`: a signature is missing; `waiting`: for an event before it, whose lot it uses; `kept`: no process of the tenant fits. */
  readonly outcome: 'prepared' | 'waiting' | 'kept' | 'captured_before' | 'refused';
  /** Id of the prepared event, or of the one that it repeats or declares wrong. */
  readonly eventId: string | null;
  readonly preparedTx: object | null;
  /** Of its transaction; with `preparedId` an account of passkeys signs it, up to a hundred at once. */
  readonly hints: object | null;
  /** Why it is not prepared. */
  readonly problems: readonly { readonly pointer: string; readonly code: string; readonly message: string }[];
}

export interface CaptureJob {
  readonly id: string;
  readonly createdAt: Date;
  readonly finishedAt: Date;
  readonly errorBehaviour: ErrorBehaviour;
  readonly success: boolean;
  readonly events: readonly CapturedOutcome[];
}

interface JobRow extends Omit<CaptureJob, 'events'> {
  readonly events: string;
}

const COLUMNS = `id, created_at as "createdAt", finished_at as "finishedAt", error_behaviour as "errorBehaviour", success, events`;

@Injectable()
export class CaptureJobQueries {
  async insert(tx: TenantTx, job: CaptureJob, by: { readonly id: string; readonly orgId: string | null }): Promise<void> {
    await tx.sql(
      `insert into interchange.capture_job (tenant_id, id, created_at, finished_at, captured_by, org_id, error_behaviour, success, events)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [tx.tenantId, job.id, job.createdAt, job.finishedAt, by.id, by.orgId, job.errorBehaviour, job.success, JSON.stringify(job.events)],
    );
  }

  /** Of the organisation, or of whom it was captured by; with `readsAll` of everybody. */
  async byId(tx: TenantTx, id: string, reader: JobReader): Promise<CaptureJob | null> {
    const [row] = await tx.sql<JobRow>(
      `select ${COLUMNS} from interchange.capture_job where tenant_id = $1 and id = $2 and ${VISIBLE(3)}`,
      [tx.tenantId, id, ...readerParameters(reader)],
    );
    return row ? jobOf(row) : null;
  }

  /** Newest first, without their events. */
  async page(
    tx: TenantTx,
    reader: JobReader,
    after: { readonly at: Date; readonly id: string } | null,
    limit: number,
  ): Promise<readonly Omit<CaptureJob, 'events'>[]> {
    return tx.sql<Omit<CaptureJob, 'events'>>(
      `select ${COLUMNS.replace(', events', '')} from interchange.capture_job where tenant_id = $1 and ${VISIBLE(5)}
         and ($2::timestamptz is null or (created_at, id) < ($2, $3::uuid)) order by created_at desc, id desc limit $4`,
      [tx.tenantId, after?.at ?? null, after?.id ?? null, limit, ...readerParameters(reader)],
    );
  }

  /** Status of events here, by their id. */
  async statuses(tx: TenantTx, eventIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (eventIds.length === 0) return new Map();
    const rows = await tx.sql<{ id: string; status: string }>(
      'select id, status from traceability.event_v1 where tenant_id = $1 and id = any($2::uuid[])',
      [tx.tenantId, eventIds],
    );
    return new Map(rows.map(({ id, status }) => [id, status]));
  }
}

export interface JobReader {
  readonly readsAll: boolean;
  readonly id: string;
  readonly orgId: string | null;
}

const VISIBLE = (first: number): string =>
  `($${first}::boolean or captured_by = $${first + 1} or ($${first + 2}::text is not null and org_id = $${first + 2}))`;
const readerParameters = ({ readsAll, id, orgId }: JobReader): unknown[] => [readsAll, id, orgId];

const jobOf = ({ events, ...job }: JobRow): CaptureJob => ({ ...job, events: JSON.parse(events) as CapturedOutcome[] });
