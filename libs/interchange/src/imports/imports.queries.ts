import type { Page, PageRequest } from '#kernel';
import { type TenantTx, arrayParameter, pageOf } from '#persistence';
import { Injectable } from '@nestjs/common';
import type { RowProblem } from './event-of-row.js';
import type { ImportCounts, ImportRecord, ImportState, ImportTask } from './import-run.js';

/** What became of a row; rows without a problem are not kept before their event is prepared. */
export interface ImportRow {
  readonly row: number;
  readonly eventId: string | null;
  /** The answer of `POST /events/prepare`; null for an event that was prepared before. */
  readonly prepared: object | null;
  readonly problems: readonly RowProblem[];
}

export interface ImportReader {
  readonly all: boolean;
  readonly orgId: string | null;
  readonly id: string;
}

const COLUMNS = `id, file_id as "fileId", name, size::float8 as size, format, task, state, process_type as "processType", mapping, proposal, counts,
  remarks, failure, stopping, org_id as "orgId", created_by as "createdBy", created_at as "createdAt", changed_at as "changedAt"`;
const READABLE = 'tenant_id = $1 and ($2::boolean or org_id = $3::uuid or created_by = $4)';
const json = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

export type ImportChange = Partial<
  Pick<ImportRecord, 'format' | 'processType' | 'mapping' | 'proposal' | 'counts' | 'remarks' | 'failure'>
>;

@Injectable()
export class ImportQueries {
  async insert(tx: TenantTx, one: Omit<ImportRecord, 'changedAt' | 'proposal' | 'failure' | 'stopping'>): Promise<void> {
    await tx.sql(
      `insert into interchange.import (tenant_id, id, file_id, name, size, task, state, process_type, mapping, counts, remarks, org_id, created_by,
         created_at, changed_at, format) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14, $15)`,
      [
        ...[tx.tenantId, one.id, one.fileId, one.name, one.size, one.task, one.state, one.processType, json(one.mapping)],
        ...[json(one.counts), json(one.remarks), one.orgId, one.createdBy, one.createdAt, one.format],
      ],
    );
  }

  async byId(tx: TenantTx, { all, orgId, id: reader }: ImportReader, id: string): Promise<ImportRecord | null> {
    const [row] = await tx.sql<ImportRecord>(`select ${COLUMNS} from interchange.import where ${READABLE} and id = $5`, [
      ...[tx.tenantId, all, orgId, reader, id],
    ]);
    return row ?? null;
  }

  list(tx: TenantTx, { all, orgId, id }: ImportReader, request: PageRequest): Promise<Page<ImportRecord>> {
    return pageOf<ImportRecord>(tx, request, {
      columns: COLUMNS,
      from: `interchange.import where ${READABLE}`,
      order: 'created_at desc, id',
      parameters: [tx.tenantId, all, orgId, id],
    });
  }

  /** Begins a task, unless another one is underway. @returns whether it began */
  async begin(tx: TenantTx, id: string, task: ImportTask, change: ImportChange): Promise<boolean> {
    const [row] = await tx.sql(
      `update interchange.import set task = $3, state = 'waiting', stopping = false, failure = null, changed_at = now(),
         mapping = coalesce($4, mapping), process_type = coalesce($5, process_type), counts = $6
       where tenant_id = $1 and id = $2 and state not in ('waiting', 'running') returning id`,
      [tx.tenantId, id, task, json(change.mapping ?? null), change.processType ?? null, json(change.counts ?? null)],
    );
    return row !== undefined;
  }

  /** Of the tenant, those that wait included. */
  async countUnderway(tx: TenantTx): Promise<number> {
    const [row] = await tx.sql<{ count: number }>(
      `select count(*)::int as count from interchange.import where tenant_id = $1 and state in ('waiting', 'running')`,
      [tx.tenantId],
    );
    return row!.count;
  }

  /** @returns false where it is to stop, or is gone */
  async progress(tx: TenantTx, id: string, counts: ImportCounts): Promise<boolean> {
    const [row] = await tx.sql<{ stopping: boolean }>(
      `update interchange.import set state = 'running', counts = $3, changed_at = now() where tenant_id = $1 and id = $2 returning stopping`,
      [tx.tenantId, id, json(counts)],
    );
    return row !== undefined && !row.stopping;
  }

  /** @returns whether its task was underway: it may be deleted, or have been ended by another run */
  async end(tx: TenantTx, id: string, state: ImportState, { format, proposal, counts, remarks, failure }: ImportChange): Promise<boolean> {
    const [row] = await tx.sql(
      `update interchange.import set state = $3, format = coalesce($4, format), proposal = coalesce($5, proposal), counts = coalesce($6, counts),
         remarks = coalesce($7, remarks), failure = $8, changed_at = now()
       where tenant_id = $1 and id = $2 and state in ('waiting', 'running') returning id`,
      [
        ...[
          tx.tenantId,
          id,
          state,
          format ?? null,
          json(proposal ?? null),
          json(counts ?? null),
          json(remarks ?? null),
          json(failure ?? null),
        ],
      ],
    );
    return row !== undefined;
  }

  /** @returns whether its task was underway */
  async stop(tx: TenantTx, id: string): Promise<boolean> {
    const [row] = await tx.sql(
      `update interchange.import set stopping = true where tenant_id = $1 and id = $2 and state in ('waiting', 'running') returning id`,
      [tx.tenantId, id],
    );
    return row !== undefined;
  }

  async delete(tx: TenantTx, id: string): Promise<void> {
    await tx.sql('delete from interchange.import where tenant_id = $1 and id = $2', [tx.tenantId, id]);
  }

  /** @param prepared rows whose event was prepared stay */
  async deleteRows(tx: TenantTx, id: string, prepared: boolean): Promise<void> {
    await tx.sql('delete from interchange.import_row where tenant_id = $1 and import_id = $2 and ($3 = false or event_id is null)', [
      ...[tx.tenantId, id, prepared],
    ]);
  }

  async saveRows(tx: TenantTx, id: string, rows: readonly ImportRow[]): Promise<void> {
    if (rows.length === 0) return;
    await tx.sql(
      `insert into interchange.import_row as r (tenant_id, import_id, row, event_id, prepared, problems)
       select $1, $2, n.row, n.event_id, n.prepared::jsonb, n.problems::jsonb
       from unnest($3::integer[], $4::uuid[], $5::text[], $6::text[]) as n(row, event_id, prepared, problems)
       on conflict (tenant_id, import_id, row) do update set event_id = excluded.event_id, prepared = coalesce(excluded.prepared, r.prepared),
         problems = excluded.problems`,
      [
        ...[tx.tenantId, id],
        rows.map(({ row }) => row),
        arrayParameter(
          'uuid',
          rows.map(({ eventId }) => eventId),
        ),
        arrayParameter(
          'text',
          rows.map(({ prepared }) => json(prepared)),
        ),
        arrayParameter(
          'text',
          rows.map(({ problems }) => JSON.stringify(problems)),
        ),
      ],
    );
  }

  rows(tx: TenantTx, id: string, which: 'problems' | 'events', request: PageRequest): Promise<Page<ImportRow>> {
    return pageOf<ImportRow>(tx, request, {
      columns: 'row, event_id as "eventId", prepared, problems',
      from: `interchange.import_row where tenant_id = $1 and import_id = $2 and ${which === 'events' ? 'event_id is not null' : "problems <> '[]'"}`,
      order: 'row',
      parameters: [tx.tenantId, id],
    });
  }

  /** Problems of the rows behind this one, for the marked file. */
  problemsAfter(tx: TenantTx, id: string, row: number, limit: number): Promise<ImportRow[]> {
    return tx.sql<ImportRow>(
      `select row, event_id as "eventId", prepared, problems from interchange.import_row
       where tenant_id = $1 and import_id = $2 and row > $3 and problems <> '[]' order by row limit $4`,
      [tx.tenantId, id, row, limit],
    );
  }

  /** The known ones among these events, with their status. */
  async statuses(tx: TenantTx, eventIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const rows = await tx.sql<{ id: string; status: string }>(
      'select id, status from traceability.event_v1 where tenant_id = $1 and id = any($2::uuid[])',
      [tx.tenantId, arrayParameter('uuid', eventIds)],
    );
    return new Map(rows.map(({ id, status }) => [id, status]));
  }

  /** Live lots by their codes; several where a code has several. */
  async lotsByCode(tx: TenantTx, codes: readonly string[]): Promise<ReadonlyMap<string, readonly bigint[]>> {
    const rows = await tx.sql<{ tlc: string; tokenIds: readonly string[] }>(
      `select tlc, array_agg(token_id::text order by token_id) as "tokenIds" from traceability.lot_v1
       where tenant_id = $1 and tlc = any($2::text[]) and not used_up and retired_at is null group by tlc`,
      [tx.tenantId, arrayParameter('text', codes)],
    );
    return new Map(rows.map(({ tlc, tokenIds }) => [tlc, tokenIds.map(BigInt)]));
  }
}
