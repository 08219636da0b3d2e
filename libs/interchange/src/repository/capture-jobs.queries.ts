import type { Actor } from '#kernel';
import type { SystemTx, TenantTx } from '#persistence';
import type { PreparedEvent } from '#prepare';
import { Injectable } from '@nestjs/common';
import type { Json } from '../epcis/json.js';

export type ErrorBehaviour = 'rollback' | 'proceed';

/** What became of one event of a document when it was captured. */
export interface CapturedOutcome {
  readonly pointer: string;
  readonly eventID: string | null;
  readonly eventHashID: string | null;
  /**
   * `prepared`: a signature is missing; `waiting`: for an event before it, whose lot it uses; `kept`: no process of the tenant fits;
   * `recorded_here`: the repository has it from the chain.
   */
  readonly outcome: 'prepared' | 'waiting' | 'kept' | 'captured_before' | 'recorded_here' | 'refused';
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
  /** Null as long as it runs. */
  readonly finishedAt: Date | null;
  readonly errorBehaviour: ErrorBehaviour;
  readonly success: boolean;
  readonly events: readonly CapturedOutcome[];
}

/** What a job that has not finished has to do. */
export interface CaptureTask {
  readonly document: Json;
  /** The rights are those of the request. */
  readonly actor: Actor;
  /** EIP-55 address that will sign. */
  readonly from: string | null;
}

interface JobRow extends Omit<CaptureJob, 'events'> {
  readonly events: string;
}

const COLUMNS = `id, created_at as "createdAt", finished_at as "finishedAt", error_behaviour as "errorBehaviour", success, events`;

@Injectable()
export class CaptureJobQueries {
  /** @param request of a job that has not finished */
  async insert(tx: TenantTx, job: CaptureJob, { id, orgId }: Actor, request: CaptureTask | null): Promise<void> {
    const texts = [JSON.stringify(job.events), request && JSON.stringify(request)];
    await tx.sql(
      `insert into interchange.capture_job
         (tenant_id, id, created_at, finished_at, captured_by, org_id, error_behaviour, success, events, request)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [tx.tenantId, job.id, job.createdAt, job.finishedAt, id, orgId, job.errorBehaviour, job.success, ...texts],
    );
  }

  /** What is to be done; null for a job that has finished, or is gone. */
  async task(tx: TenantTx, id: string): Promise<(CaptureTask & Pick<CaptureJob, 'errorBehaviour'>) | null> {
    const [row] = await tx.sql<Pick<CaptureJob, 'errorBehaviour'> & { readonly request: string }>(
      `select request, error_behaviour as "errorBehaviour" from interchange.capture_job
       where tenant_id = $1 and id = $2 and finished_at is null`,
      [tx.tenantId, id],
    );
    return row ? { ...(JSON.parse(row.request) as CaptureTask), errorBehaviour: row.errorBehaviour } : null;
  }

  /** What the job has prepared, by the hashes of the events. */
  async prepared(tx: TenantTx, jobId: string): Promise<ReadonlyMap<string, PreparedEvent>> {
    const rows = await tx.sql<{ readonly events: string }>(
      'select events from interchange.capture_progress where tenant_id = $1 and job_id = $2',
      [tx.tenantId, jobId],
    );
    return new Map(rows.flatMap(({ events }) => JSON.parse(events) as [string, PreparedEvent][]));
  }

  async addPrepared(tx: TenantTx, jobId: string, events: readonly (readonly [hash: string, event: PreparedEvent])[]): Promise<void> {
    await tx.sql('insert into interchange.capture_progress (tenant_id, job_id, events) values ($1, $2, $3)', [
      tx.tenantId,
      jobId,
      JSON.stringify(events),
    ]);
  }

  /** With what it has reserved and not prepared. @returns whether it had not finished before */
  async finish(tx: TenantTx, job: Pick<CaptureJob, 'id' | 'finishedAt' | 'success' | 'events'>): Promise<boolean> {
    const rows = await tx.sql(
      `update interchange.capture_job set finished_at = $3, success = $4, events = $5, request = null
       where tenant_id = $1 and id = $2 and finished_at is null returning id`,
      [tx.tenantId, job.id, job.finishedAt, job.success, JSON.stringify(job.events)],
    );
    await tx.sql('delete from interchange.capture_progress where tenant_id = $1 and job_id = $2', [tx.tenantId, job.id]);
    return rows.length > 0;
  }

  /** What a job that failed has reserved. */
  async release(tx: TenantTx, jobId: string): Promise<void> {
    await tx.sql('delete from interchange.captured_event where tenant_id = $1 and job_id = $2 and event_id is null', [tx.tenantId, jobId]);
  }

  /** How many of the tenant have not finished. */
  async countUnfinished(tx: TenantTx): Promise<number> {
    const [row] = await tx.sql<{ readonly count: string }>(
      'select count(*) from interchange.capture_job where tenant_id = $1 and finished_at is null',
      [tx.tenantId],
    );
    return Number(row!.count);
  }

  /** Of all tenants, those that have not finished and were created before, oldest first. */
  unfinished(tx: SystemTx, before: Date, limit: number): Promise<readonly { readonly tenantId: string; readonly jobId: string }[]> {
    return tx.sql(
      `select tenant_id as "tenantId", id as "jobId" from interchange.capture_job
       where finished_at is null and created_at < $1 order by created_at limit $2`,
      [before, limit],
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
