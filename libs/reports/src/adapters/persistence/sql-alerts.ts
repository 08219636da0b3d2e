import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import {
  type Acknowledgement,
  type AlertFilter,
  type AlertState,
  Alerts,
  type StandingAlert,
  type StandingGroup,
} from '../../alerts.ports.js';

const COLUMNS = `a.id, a.type, a.severity, a.subject_kind as "subjectKind", a.subject_id as "subjectId", a.token_id::float8 as "tokenId", a.tlc, a.title,
  a.detail, a.evidence, a.threshold, a.detected_at as "detectedAt", a.first_seen_at as "firstSeenAt", a.resolved_at as "resolvedAt",
  a.acknowledged_at as "acknowledgedAt", a.acknowledged_by as "acknowledgedBy", a.acknowledged_note as "acknowledgedNote", a.muted_until as "mutedUntil"`;

@Injectable()
export class SqlAlerts extends Alerts {
  override async sums(tx: TenantTx, filter: AlertFilter): Promise<readonly StandingGroup[]> {
    const { where, parameters } = conditionOf(tx, filter);
    return tx.sql<StandingGroup>(
      `select a.type, a.group_name as "group", a.severity, count(*)::int as count, count(a.acknowledged_at)::int as acknowledged,
         min(a.first_seen_at) as earliest
       from reports.alert a where ${where} group by 1, 2, 3 order by 1, 2, 3`,
      parameters,
    );
  }

  override page(tx: TenantTx, filter: AlertFilter, after: readonly string[] | null, limit: number): Promise<readonly StandingAlert[]> {
    const { where, parameters } = conditionOf(tx, filter);
    const place = (value: unknown): string => `$${parameters.push(value)}`;
    // Rank and id go up, the time goes down.
    const beyond = (rank: string, at: string, id: string): string =>
      `and a.rank >= ${rank}::smallint and (a.rank > ${rank}::smallint or a.detected_at < ${at}::timestamptz
         or (a.detected_at = ${at}::timestamptz and a.id > ${id}))`;
    const next = after === null ? '' : beyond(place(after[0]), place(after[1]), place(after[2]));
    return tx.sql<StandingAlert>(
      `select ${COLUMNS} from reports.alert a where ${where} ${next} order by a.rank, a.detected_at desc, a.id limit ${place(limit)}`,
      parameters,
    );
  }

  override async examples(
    tx: TenantTx,
    filter: AlertFilter,
    groups: readonly { readonly type: string; readonly group: string }[],
    most: number,
  ): Promise<readonly (readonly string[])[]> {
    const { where, parameters } = conditionOf(tx, filter);
    const place = (value: unknown): string => `$${parameters.push(value)}`;
    const rows = await tx.sql<{ ids: readonly string[] | null }>(
      `select x.ids from unnest(${place(groups.map(({ type }) => type))}::text[], ${place(groups.map(({ group }) => group))}::text[])
         with ordinality as g(type, name, place)
       cross join lateral (
         select array_agg(id order by rank, detected_at desc, id) as ids from (
           select a.id, a.rank, a.detected_at from reports.alert a where ${where} and a.type = g.type and a.group_name = g.name
           order by a.rank, a.detected_at desc, a.id limit ${place(most)}) few) x
       order by g.place`,
      parameters,
    );
    return rows.map(({ ids }) => ids ?? []);
  }

  override async state(tx: TenantTx): Promise<AlertState> {
    const [row] = await tx.sql<AlertState>(
      `select evaluated_at as "evaluatedAt", evaluated_block::float8 as "evaluatedBlock", complete, active_lots::float8 as "activeLots", narration,
         narrated_by as "narratedBy", narrated_at as "narratedAt", narrated_of as "narratedOf"
       from reports.alert_round where tenant_id = $1`,
      [tx.tenantId],
    );
    return row ?? NEVER;
  }

  override async activeLotsOf(tx: TenantTx, wallets: readonly string[]): Promise<number> {
    const [kept] = await tx.sql('select from reports.stock_walk where tenant_id = $1 and as_of_head is not null', [tx.tenantId]);
    const [row] = await tx.sql<{ n: string | null }>(kept ? KEPT_ACTIVE : ACTIVE, [tx.tenantId, wallets]);
    return Number(row!.n);
  }

  override async byId(tx: TenantTx, id: string, orgId: string | null): Promise<StandingAlert | null> {
    const [row] = await tx.sql<StandingAlert>(
      `select ${COLUMNS} from reports.alert a
       where a.tenant_id = $1 and a.id = $2 and a.resolved_at is null and ($3::text is null or $3 = any (a.org_ids))`,
      [tx.tenantId, id, orgId],
    );
    return row ?? null;
  }

  override async acknowledge(tx: TenantTx, id: string, acknowledgement: Acknowledgement | null): Promise<void> {
    await tx.sql(
      `update reports.alert set acknowledged_at = $3, acknowledged_by = $4, acknowledged_note = $5, muted_until = $6
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

  override async narrated(
    tx: TenantTx,
    { text, model, of, at }: { readonly text: string | null; readonly model: string | null; readonly of: string; readonly at: Date },
  ): Promise<void> {
    await tx.sql(
      'update reports.alert_round set narration = $2, narrated_by = $3, narrated_of = $4, narrated_at = $5 where tenant_id = $1',
      [tx.tenantId, text, model, of, at],
    );
  }
}

const ACTIVE = `select count(*) as n from traceability.lot_v1
  where tenant_id = $1 and custodian = any ($2) and status = 'active' and not is_container`;
const KEPT_ACTIVE = `select sum(s.lots) as n from reports.stock_cell c
  join reports.stock_sum s on s.tenant_id = $1 and s.day = '-infinity' and s.cell_id = c.cell_id
  where c.tenant_id = $1 and c.custodian = any ($2) and c.status = 'active'`;

const NEVER: AlertState = {
  evaluatedAt: null,
  evaluatedBlock: null,
  complete: false,
  activeLots: 0,
  narration: null,
  narratedBy: null,
  narratedAt: null,
  narratedOf: null,
};

/** What stands now; of a period, what stood at any time in it. */
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
