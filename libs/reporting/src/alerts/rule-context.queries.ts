import { createHash } from 'node:crypto';
import type { TenantTx } from '#persistence';
import { Inject, Injectable, Optional } from '@nestjs/common';
import { ReportingSettings } from '../reporting.settings.js';
import { type Figure, figure } from '../reports/report.js';
import type { MapRules, ProcessRules, RuleContext } from './rules/rule.js';
import { thresholdsOf } from './rules/thresholds.js';

/** Limits that a tenant set (`reporting.alert_limit`). */
@Injectable()
export class AlertLimitQueries {
  /** By name; limits with the default are absent. */
  async own(tx: TenantTx): Promise<Readonly<Record<string, number>>> {
    const rows = await tx.sql<{ name: string; value: number }>(
      'select name, value from reporting.alert_limit where tenant_id = $1 order by name',
      [tx.tenantId],
    );
    return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
  }

  /** Null restores the default. */
  async set(tx: TenantTx, limits: Readonly<Record<string, number | null>>, by: string, at: Date): Promise<void> {
    const given = Object.entries(limits);
    const names = (which: (value: number | null) => boolean): string[] => given.filter(([, value]) => which(value)).map(([name]) => name);
    await tx.sql('delete from reporting.alert_limit where tenant_id = $1 and name = any ($2)', [
      tx.tenantId,
      names((value) => value === null),
    ]);
    await tx.sql(
      `insert into reporting.alert_limit (tenant_id, name, value, set_at, set_by)
       select $1, l.name, l.value, $4, $5 from unnest($2::text[], $3::float8[]) as l(name, value)
       on conflict (tenant_id, name) do update set value = excluded.value, set_at = excluded.set_at, set_by = excluded.set_by`,
      [tx.tenantId, names((value) => value !== null), given.flatMap(([, value]) => value ?? []), at, by],
    );
    // Evaluate at once.
    await tx.sql('update reporting.alert_evaluation set next_at = $2 where tenant_id = $1 and next_at > $2', [tx.tenantId, at]);
  }
}

interface MapRow {
  readonly name: string;
  readonly version: string;
  readonly chain_of_custody: string;
  readonly late_after_seconds: Figure;
  readonly custody_accept_within_seconds: Figure;
  readonly expiring_soon_within_seconds: Figure;
  readonly asset_types: Readonly<Record<string, { readonly name: string; readonly category: string; readonly massPerUnitKg?: number }>>;
  readonly processes: Readonly<Record<string, ProcessOfMap>>;
}

interface ProcessOfMap {
  readonly label: string;
  readonly kdes?: readonly {
    readonly path?: string;
    readonly oneOf?: readonly string[];
    readonly of?: 'event' | 'input';
    readonly name: string;
    readonly level: 'required' | 'recommended' | 'optional';
    readonly ref?: string;
  }[];
  readonly documents?: readonly { readonly type: string; readonly required: boolean }[];
}

/** The present limits and process maps of a tenant. */
@Injectable()
export class RuleContextQueries {
  constructor(
    private readonly limits: AlertLimitQueries,
    @Optional() @Inject(ReportingSettings) private readonly settings?: Pick<ReportingSettings, 'storeIsShared'>,
  ) {}

  /** @returns the digest is of everything except the time */
  async read(tx: TenantTx, now: Date): Promise<RuleContext & { readonly digest: string }> {
    const own = await this.limits.own(tx);
    const rows = await tx.sql<MapRow>(
      `select name, version, chain_of_custody, late_after_seconds, custody_accept_within_seconds, expiring_soon_within_seconds, asset_types, processes
       from traceability.process_map_v1 where tenant_id = $1 order by published_at, name, version`,
      [tx.tenantId],
    );
    const thresholds = thresholdsOf(own);
    const storeIsShared = this.settings?.storeIsShared ?? false;
    const digest = createHash('sha256')
      .update(JSON.stringify([thresholds, storeIsShared, rows.map(({ name, version }) => `${name}@${version}`)]))
      .digest('hex');
    // The last row of a name is the newest version: versions only increase.
    const maps = new Map(rows.flatMap((row) => [`${row.name}@${row.version}`, row.name].map((key) => [key, rulesOf(row)] as const)));
    return { now, thresholds, maps, storeIsShared, digest };
  }
}

const rulesOf = (row: MapRow): MapRules => ({
  chainOfCustody: row.chain_of_custody,
  lateAfterSeconds: figure(row.late_after_seconds),
  custodyAcceptWithinSeconds: figure(row.custody_accept_within_seconds),
  expiringSoonWithinSeconds: figure(row.expiring_soon_within_seconds),
  assetTypes: new Map(
    Object.entries(row.asset_types).map(([key, { name, category, massPerUnitKg = null }]) => [key, { name, category, massPerUnitKg }]),
  ),
  processes: new Map(Object.entries(row.processes).map(([key, process]) => [key, processOf(process)])),
});

const processOf = ({ label, kdes = [], documents = [] }: ProcessOfMap): ProcessRules => ({
  label,
  // What is true of each input for itself is judged where the input was made, cooled or received.
  kdes: kdes
    .filter(({ of }) => of !== 'input')
    .map(({ path = '', oneOf, name, level, ref = null }) => ({
      path: oneOf?.join(' or ') ?? path,
      name,
      level,
      ref,
      ...(oneOf && { oneOf }),
    })),
  requiredDocuments: documents.filter(({ required }) => required).map(({ type }) => type),
});
