import { Parties } from '#identity';
import { DomainError } from '#kernel';
import type { TenantTx } from '#persistence';
import { Footprints } from '#traceability';
import { Injectable } from '@nestjs/common';
import { AlertSource, type Followed, type Fresh } from '../../alerts.ports.js';
import type { Circumstances } from '../../domain/alerts/circumstances.js';
import type { FootprintFacts } from '../../domain/alerts/facts.js';

/** A footprint walks the lot's whole tree, so a round looks at a few and goes on from there. */
const AT_ONCE = 3;
const BOUNDS = { maxDepth: 200, maxNodes: 20_000 };

/** Finished goods that are there, in the order of their token ids. */
@Injectable()
export class FootprintSource extends AlertSource<FootprintFacts> {
  override readonly atOnce = AT_ONCE;

  constructor(
    private readonly footprints: Footprints,
    private readonly parties: Parties,
  ) {
    super();
  }

  override async fresh(tx: TenantTx, { place }: Followed, at: Circumstances): Promise<Fresh> {
    const finished = new Set<string>();
    for (const map of at.maps.values()) for (const [key, type] of map.assetTypes) if (type.category === 'finished_good') finished.add(key);
    const rows = await tx.sql<{ id: string }>(
      `select l.token_id::text as id from traceability.lot_v1 l
       where l.tenant_id = $1 and l.token_id > $2::bigint and l.asset_type = any ($3) and l.retired_at is null and not l.used_up
       order by l.token_id limit ${AT_ONCE}`,
      [tx.tenantId, place ?? '0', [...finished]],
    );
    // Not `more`: the other sources must not wait for it, and the next round comes soon.
    return { ids: rows.map(({ id }) => id), place: rows.at(-1)?.id ?? place, more: false };
  }

  override async facts(tx: TenantTx, ids: readonly string[]): Promise<readonly FootprintFacts[]> {
    const lots = await tx.sql<{ token_id: string; tlc: string; asset_type_name: string | null; custodian: string }>(
      `select l.token_id, l.tlc, l.asset_type_name, l.custodian from traceability.lot_v1 l
       where l.tenant_id = $1 and l.token_id = any ($2::bigint[]) and l.retired_at is null and not l.used_up order by l.token_id`,
      [tx.tenantId, ids],
    );
    const labels = await this.parties.labels(
      tx,
      lots.map(({ custodian }) => custodian),
    );
    const found: FootprintFacts[] = [];
    for (const lot of lots) {
      const massCoverage = await this.coverageOf(tx, BigInt(lot.token_id));
      const orgId = labels.get(lot.custodian)!.orgId;
      if (massCoverage)
        found.push({
          tokenId: BigInt(lot.token_id),
          tlc: lot.tlc,
          assetTypeName: lot.asset_type_name,
          massCoverage,
          orgIds: orgId === null ? [] : [orgId],
        });
    }
    return found;
  }

  /** Null where the tree is larger than a footprint may be: nothing is known, so nothing is said. */
  private async coverageOf(tx: TenantTx, tokenId: bigint): Promise<FootprintFacts['massCoverage'] | null> {
    try {
      const { indicators } = await this.footprints.of(tx, tokenId, BOUNDS, null);
      return Object.fromEntries(
        Object.entries(indicators).map(([name, { coverage }]) => [name, coverage.expected === 0 ? null : coverage.mass]),
      );
    } catch (error) {
      if (error instanceof DomainError) return null;
      throw error;
    }
  }
}
