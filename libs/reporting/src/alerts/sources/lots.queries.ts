import { Parties } from '#identity';
import { DomainError } from '#kernel';
import type { TenantTx } from '#persistence';
import { Footprints } from '#traceability';
import { Injectable } from '@nestjs/common';
import { type Figure, figure } from '../../reports/report.js';
import type { FootprintFacts, LotFacts } from '../rules/lot.rules.js';
import type { RuleContext } from '../rules/rule.js';
import { AlertSource, BATCH, type Candidates, type SourcePosition, hasNoAlert } from './source.queries.js';

interface Row {
  readonly token_id: string;
  readonly tlc: string;
  readonly asset_type: string | null;
  readonly asset_type_name: string | null;
  readonly process_map_name: string | null;
  readonly process_map_version: string | null;
  readonly status: string;
  readonly uom: string | null;
  readonly quantity: Figure;
  readonly remaining: Figure;
  readonly used_up: boolean;
  readonly is_container: boolean;
  readonly expires_at: Date | null;
  readonly retired_at: Date | null;
  readonly recalled_at: Date | null;
  readonly recall_affected: boolean;
  readonly recall_class: string | null;
  readonly used: Figure;
  readonly custodian: string;
}

/** Lots that expire, are recalled or affected, or were used beyond their quantity. */
@Injectable()
export class LotSource extends AlertSource<LotFacts> {
  constructor(private readonly parties: Parties) {
    super();
  }

  override async candidates(tx: TenantTx, { place, final, head }: SourcePosition, context: RuleContext): Promise<Candidates> {
    const since = place === null ? -1 : Number(place);
    const maps = [...context.maps].filter(([name]) => !name.includes('@'));
    const rows = await tx.sql<{ id: string }>(`(${EXPIRED}) union (${EXPIRING}) union (${RECALLED}) union (${AFFECTED}) limit ${BATCH}`, [
      tx.tenantId,
      context.now,
      context.thresholds.expiringSoonWithinSeconds,
      maps.map(([name]) => name),
      maps.map(([, { expiringSoonWithinSeconds: within }]) => within),
    ]);
    const [next] = await tx.sql<{ block: string | null }>(NEXT_BLOCK, [tx.tenantId, since, head]);
    const upTo = Number(next?.block ?? head);
    const overused = await tx.sql<{ id: string }>(OVERUSED, [tx.tenantId, since, upTo, context.thresholds.overConsumptionShare]);
    return {
      ids: [...new Set([...rows, ...overused].map(({ id }) => id))],
      // Blocks that can be undone are read again.
      place: String(upTo < head ? upTo : Math.min(final, head)),
      more: rows.length >= BATCH || upTo < head,
    };
  }

  override async facts(tx: TenantTx, ids: readonly string[]): Promise<readonly LotFacts[]> {
    const rows = await tx.sql<Row>(FACTS, [tx.tenantId, ids]);
    const labels = await this.parties.labels(
      tx,
      rows.map(({ custodian }) => custodian),
    );
    return rows.map((row) => {
      const party = labels.get(row.custodian)!;
      return {
        tokenId: BigInt(row.token_id),
        tlc: row.tlc,
        assetType: row.asset_type,
        assetTypeName: row.asset_type_name,
        mapName: row.process_map_name,
        mapVersion: row.process_map_version,
        status: row.status,
        uom: row.uom,
        quantity: figure(row.quantity),
        remaining: figure(row.remaining),
        usedUp: row.used_up,
        isContainer: row.is_container,
        expiresAt: row.expires_at,
        retiredAt: row.retired_at,
        recalledAt: row.recalled_at,
        recallAffected: row.recall_affected,
        recallClass: row.recall_class,
        used: figure(row.used) ?? 0,
        custodian: row.custodian,
        custodianLabel: party.label,
        orgIds: party.orgId === null ? [] : [party.orgId],
      };
    });
  }
}

const EXPIRED = `select l.token_id::text as id from traceability.lot_v1 l
  where l.tenant_id = $1 and l.expires_at <= $2 and l.retired_at is null and not l.used_up
    and not l.is_container and ${hasNoAlert('lot', 'LOT_EXPIRED', 'l.token_id')} limit ${BATCH}`;

const EXPIRING = `select l.token_id::text as id from traceability.lot_v1 l
  left join unnest($4::text[], $5::float8[]) as m(name, within) on m.name = l.process_map_name
  where l.tenant_id = $1 and l.expires_at > $2
    and l.expires_at <= $2::timestamptz + make_interval(secs => greatest($3, (select max(w) from unnest($5::float8[]) w)))
    and l.expires_at <= $2::timestamptz + make_interval(secs => coalesce(m.within, $3))
    and l.retired_at is null and not l.used_up and not l.is_container and ${hasNoAlert('lot', 'LOT_EXPIRING', 'l.token_id')} limit ${BATCH}`;

const RECALLED = `select l.token_id::text as id from traceability.lot_v1 l
  where l.tenant_id = $1 and l.recalled_at is not null and l.retired_at is null and not l.used_up
    and ${hasNoAlert('lot', 'RECALLED_IN_STOCK', 'l.token_id')} limit ${BATCH}`;

const AFFECTED = `select l.token_id::text as id from (select distinct tenant_id, token_id from traceability.recall_affected_v1 where tenant_id = $1) r
  join traceability.lot_v1 l on l.tenant_id = r.tenant_id and l.token_id = r.token_id
  where l.recalled_at is null and l.retired_at is null and not l.used_up
    and ${hasNoAlert('lot', 'RECALL_AFFECTED_LIVE', 'l.token_id')} limit ${BATCH}`;

/** An event with several outputs has an edge to each, with the same quantity. A split has one. */
const USED = (lots: string): string =>
  `select from_token, sum(quantity) as used from (
     select e.from_token, coalesce(e.event_id::text, e.to_token::text) as by, max(e.quantity) as quantity from traceability.edge_v1 e
     where e.tenant_id = $1 and e.kind <> 'containment' and e.from_token in (${lots}) group by 1, 2) drawn group by 1`;

/** The block with the two thousandth event from here: the query is bounded. */
const NEXT_BLOCK = `select block_number as block from traceability.event_key_v1
  where tenant_id = $1 and block_number > $2 and block_number <= $3 order by block_number offset 2000 limit 1`;

/** Only lots used by events since the last run can exceed their quantity. */
const OVERUSED = `with drawn as (
    select distinct i.token_id from traceability.event_v1 e, unnest(e.input_token_ids) as i(token_id)
    where e.tenant_id = $1 and e.block_number > $2 and e.block_number <= $3 and cardinality(e.output_token_ids) > 0 and e.containment_mode = 0
  )
  select l.token_id::text as id from (${USED('select token_id from drawn')}) u
  join traceability.lot_v1 l on l.tenant_id = $1 and l.token_id = u.from_token
  where u.used > l.quantity * (1 + $4::numeric)`;

const FACTS = `select l.token_id, l.tlc, l.asset_type, l.asset_type_name, l.process_map_name, l.process_map_version, l.status, l.uom, l.quantity,
    l.remaining, l.used_up, l.is_container, l.expires_at, l.retired_at, l.recalled_at, l.recall_affected, l.custodian, u.used,
    (select min(s.recall_class) from traceability.recall_affected_v1 r
     join recall.open_recall_v1 s on s.tenant_id = r.tenant_id and s.token_id = r.root_token_id
     where r.tenant_id = $1 and r.token_id = l.token_id and s.recall_class in ('I', 'II', 'III')) as recall_class
  from traceability.lot_v1 l
  left join (${USED('select unnest($2::bigint[])')}) u on u.from_token = l.token_id
  where l.tenant_id = $1 and l.token_id = any ($2::bigint[])
  order by l.token_id`;

/** A footprint reads the lot's whole tree, so each run computes only a few. */
const LOTS_PER_RUN = 3;
const BOUNDS = { maxDepth: 200, maxNodes: 20_000 };

/** Finished goods in stock, by token id. */
@Injectable()
export class FootprintSource extends AlertSource<FootprintFacts> {
  override readonly openPerRun = LOTS_PER_RUN;

  constructor(
    private readonly footprints: Footprints,
    private readonly parties: Parties,
  ) {
    super();
  }

  override async candidates(tx: TenantTx, { place }: SourcePosition, context: RuleContext): Promise<Candidates> {
    const finished = new Set<string>();
    for (const map of context.maps.values())
      for (const [key, type] of map.assetTypes) if (type.category === 'finished_good') finished.add(key);
    const rows = await tx.sql<{ id: string }>(
      `select l.token_id::text as id from traceability.lot_v1 l
       where l.tenant_id = $1 and l.token_id > $2::bigint and l.asset_type = any ($3) and l.retired_at is null and not l.used_up
       order by l.token_id limit ${LOTS_PER_RUN}`,
      [tx.tenantId, place ?? '0', [...finished]],
    );
    // Not `more`: the other sources must not wait, and the next run is soon.
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

  /** Null if the tree is larger than a footprint may be. */
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
