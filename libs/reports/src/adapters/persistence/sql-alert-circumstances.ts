import { createHash } from 'node:crypto';
import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { AlertCircumstances, AlertLimits } from '../../alerts.ports.js';
import type { Circumstances, MapRules, ProcessRules } from '../../domain/alerts/circumstances.js';
import { thresholdsOf } from '../../domain/alerts/thresholds.js';
import { type Figure, figure } from '../../domain/figures.js';

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
    readonly path: string;
    readonly name: string;
    readonly level: 'required' | 'recommended';
    readonly ref?: string;
  }[];
  readonly documents?: readonly { readonly type: string; readonly required: boolean }[];
}

/** A tenant's own limits and what its maps say, as they are now. */
@Injectable()
export class SqlAlertCircumstances extends AlertCircumstances {
  constructor(private readonly limits: AlertLimits) {
    super();
  }

  override async read(tx: TenantTx, now: Date): Promise<Circumstances & { readonly digest: string }> {
    const own = await this.limits.own(tx);
    const rows = await tx.sql<MapRow>(
      `select name, version, chain_of_custody, late_after_seconds, custody_accept_within_seconds, expiring_soon_within_seconds, asset_types, processes
       from traceability.process_map_v1 where tenant_id = $1 order by published_at, name, version`,
      [tx.tenantId],
    );
    const thresholds = thresholdsOf(own);
    const digest = createHash('sha256')
      .update(JSON.stringify([thresholds, rows.map(({ name, version }) => `${name}@${version}`)]))
      .digest('hex');
    // The last one of a name is the newest: versions only go up.
    const maps = new Map(rows.flatMap((row) => [`${row.name}@${row.version}`, row.name].map((key) => [key, rulesOf(row)] as const)));
    return { now, thresholds, maps, digest };
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
  kdes: kdes.map(({ path, name, level, ref = null }) => ({ path, name, level, ref })),
  requiredDocuments: documents.filter(({ required }) => required).map(({ type }) => type),
});
