import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import type { AlertType, Severity } from './rules/rule.js';
import type { AlertGroup } from './rules/insights.rules.js';

/** What a user decided about an alert. */
export interface Acknowledgement {
  readonly by: string;
  readonly at: Date;
  readonly note: string | null;
  readonly mutedUntil: Date | null;
}

/** An alert as stored. */
export interface StoredAlert {
  readonly id: string;
  readonly type: AlertType;
  readonly severity: Severity;
  readonly subjectKind: string;
  readonly subjectId: string;
  readonly tokenId: number | null;
  readonly tlc: string | null;
  readonly title: string;
  readonly detail: string;
  readonly evidence: Readonly<Record<string, unknown>>;
  readonly threshold: Readonly<Record<string, unknown>>;
  readonly detectedAt: Date;
  readonly firstSeenAt: Date;
  readonly resolvedAt: Date | null;
  readonly acknowledgedAt: Date | null;
  readonly acknowledgedBy: string | null;
  readonly acknowledgedNote: string | null;
  readonly mutedUntil: Date | null;
}

/** Which alerts to read. */
export interface AlertFilter {
  readonly from: Date | null;
  readonly to: Date | null;
  readonly orgId: string | null;
  /** LIKE patterns of process types; null = every process. */
  readonly processes: readonly string[] | null;
  readonly severity: Severity | null;
  readonly type: AlertType | null;
  /** Muted alerts instead of those that are not muted. */
  readonly muted: boolean;
  readonly now: Date;
}

/** The last evaluation of a tenant, and its narration. */
export interface EvaluationState {
  readonly evaluatedAt: Date | null;
  readonly evaluatedBlock: number | null;
  readonly complete: boolean;
  readonly activeLots: number;
  readonly narration: string | null;
  readonly narratedBy: string | null;
  readonly narratedAt: Date | null;
  /** Digest of the figures that the narration is about. */
  readonly narratedOf: string | null;
}

const COLUMNS = `a.id, a.type, a.severity, a.subject_kind as "subjectKind", a.subject_id as "subjectId", a.token_id::float8 as "tokenId", a.tlc, a.title,
  a.detail, a.evidence, a.threshold, a.detected_at as "detectedAt", a.first_seen_at as "firstSeenAt", a.resolved_at as "resolvedAt",
  a.acknowledged_at as "acknowledgedAt", a.acknowledged_by as "acknowledgedBy", a.acknowledged_note as "acknowledgedNote", a.muted_until as "mutedUntil"`;

/** Alerts for readers, and what readers decide about them (`reporting.alert`, `reporting.alert_evaluation`). */
@Injectable()
export class AlertQueries {
  /** Numbers of alerts by type, group and severity. */
  async groups(tx: TenantTx, filter: AlertFilter): Promise<readonly AlertGroup[]> {
    const { where, parameters } = conditionOf(tx, filter);
    return tx.sql<AlertGroup>(
      `select a.type, a.group_name as "group", a.severity, count(*)::int as count, count(a.acknowledged_at)::int as acknowledged,
         min(a.first_seen_at) as earliest
       from reporting.alert a where ${where} group by 1, 2, 3 order by 1, 2, 3`,
      parameters,
    );
  }

  /** The most severe and newest first. @param after rank of the severity, detection time and id of the last alert before */
  page(tx: TenantTx, filter: AlertFilter, after: readonly string[] | null, limit: number): Promise<readonly StoredAlert[]> {
    const { where, parameters } = conditionOf(tx, filter);
    const place = (value: unknown): string => `$${parameters.push(value)}`;
    // Rank and id ascend, the time descends.
    const beyond = (rank: string, at: string, id: string): string =>
      `and a.rank >= ${rank}::smallint and (a.rank > ${rank}::smallint or a.detected_at < ${at}::timestamptz
         or (a.detected_at = ${at}::timestamptz and a.id > ${id}))`;
    const next = after === null ? '' : beyond(place(after[0]), place(after[1]), place(after[2]));
    return tx.sql<StoredAlert>(
      `select ${COLUMNS} from reporting.alert a where ${where} ${next} order by a.rank, a.detected_at desc, a.id limit ${place(limit)}`,
      parameters,
    );
  }

  /** A few ids per group, the most severe first. */
  async examples(
    tx: TenantTx,
    filter: AlertFilter,
    groups: readonly { readonly type: string; readonly group: string }[],
    limit: number,
  ): Promise<readonly (readonly string[])[]> {
    const { where, parameters } = conditionOf(tx, filter);
    const place = (value: unknown): string => `$${parameters.push(value)}`;
    const rows = await tx.sql<{ ids: readonly string[] | null }>(
      `select x.ids from unnest(${place(groups.map(({ type }) => type))}::text[], ${place(groups.map(({ group }) => group))}::text[])
         with ordinality as g(type, name, place)
       cross join lateral (
         select array_agg(id order by rank, detected_at desc, id) as ids from (
           select a.id, a.rank, a.detected_at from reporting.alert a where ${where} and a.type = g.type and a.group_name = g.name
           order by a.rank, a.detected_at desc, a.id limit ${place(limit)}) few) x
       order by g.place`,
      parameters,
    );
    return rows.map(({ ids }) => ids ?? []);
  }

  async state(tx: TenantTx): Promise<EvaluationState> {
    const [row] = await tx.sql<EvaluationState>(
      `select evaluated_at as "evaluatedAt", evaluated_block::float8 as "evaluatedBlock", complete, active_lots::float8 as "activeLots", narration,
         narrated_by as "narratedBy", narrated_at as "narratedAt", narrated_digest as "narratedOf"
       from reporting.alert_evaluation where tenant_id = $1`,
      [tx.tenantId],
    );
    return row ?? NOT_EVALUATED;
  }

  async activeLotsOf(tx: TenantTx, wallets: readonly string[]): Promise<number> {
    const [hasStock] = await tx.sql('select from reporting.stock_cursor where tenant_id = $1 and as_of_head is not null', [tx.tenantId]);
    const [row] = await tx.sql<{ n: string | null }>(hasStock ? ACTIVE_IN_STOCK : ACTIVE, [tx.tenantId, wallets]);
    return Number(row!.n);
  }

  /** An open alert. @param orgId only if it concerns this organisation */
  async byId(tx: TenantTx, id: string, orgId: string | null): Promise<StoredAlert | null> {
    const [row] = await tx.sql<StoredAlert>(
      `select ${COLUMNS} from reporting.alert a
       where a.tenant_id = $1 and a.id = $2 and a.resolved_at is null and ($3::text is null or $3 = any (a.org_ids))`,
      [tx.tenantId, id, orgId],
    );
    return row ?? null;
  }

  /** @param acknowledgement null withdraws it */
  async acknowledge(tx: TenantTx, id: string, acknowledgement: Acknowledgement | null): Promise<void> {
    await tx.sql(
      `update reporting.alert set acknowledged_at = $3, acknowledged_by = $4, acknowledged_note = $5, muted_until = $6
       where tenant_id = $1 and id = $2 and resolved_at is null`,
      [
        tx.tenantId,
        id,
        acknowledgement?.at ?? null,
        acknowledgement?.by ?? null,
        acknowledgement?.note ?? null,
        acknowledgement?.mutedUntil ?? null,
      ],
    );
  }

  async saveNarration(
    tx: TenantTx,
    {
      text,
      model,
      digest,
      at,
    }: { readonly text: string | null; readonly model: string | null; readonly digest: string; readonly at: Date },
  ): Promise<void> {
    await tx.sql(
      'update reporting.alert_evaluation set narration = $2, narrated_by = $3, narrated_digest = $4, narrated_at = $5 where tenant_id = $1',
      [tx.tenantId, text, model, digest, at],
    );
  }
}

const ACTIVE = `select count(*) as n from traceability.lot_v1
  where tenant_id = $1 and custodian = any ($2) and status = 'active' and not is_container`;
const ACTIVE_IN_STOCK = `select sum(s.lots) as n from reporting.stock_cell c
  join reporting.stock_sum s on s.tenant_id = $1 and s.day = '-infinity' and s.cell_id = c.cell_id
  where c.tenant_id = $1 and c.custodian = any ($2) and c.status = 'active'`;

const NOT_EVALUATED: EvaluationState = {
  evaluatedAt: null,
  evaluatedBlock: null,
  complete: false,
  activeLots: 0,
  narration: null,
  narratedBy: null,
  narratedAt: null,
  narratedOf: null,
};

/** Open alerts; with a period, alerts that were open at any time in it. */
function conditionOf(tx: TenantTx, filter: AlertFilter): { readonly where: string; readonly parameters: unknown[] } {
  const parameters: unknown[] = [tx.tenantId];
  const all = ['a.tenant_id = $1'];
  const add = (condition: (parameter: string) => string, value: unknown): void => {
    if (value !== null) all.push(condition(`$${parameters.push(value)}`));
  };
  if (filter.from === null && filter.to === null) all.push('a.resolved_at is null');
  add((at) => `coalesce(a.resolved_at, 'infinity'::timestamptz) >= ${at}::timestamptz`, filter.from);
  add((at) => `a.detected_at < ${at}::timestamptz`, filter.to);
  add(
    (at) => (filter.muted ? `a.muted_until > ${at}::timestamptz` : `(a.muted_until is null or a.muted_until <= ${at}::timestamptz)`),
    filter.now,
  );
  add((orgId) => `${orgId} = any (a.org_ids)`, filter.orgId);
  add((patterns) => `(a.process_type is null or a.process_type like any (${patterns}::text[]))`, filter.processes);
  add((severity) => `a.severity = ${severity}`, filter.severity);
  add((type) => `a.type = ${type}`, filter.type);
  return { where: all.join(' and '), parameters };
}
