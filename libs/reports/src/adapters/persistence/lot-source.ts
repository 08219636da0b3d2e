import { Parties } from '#identity';
import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { AlertSource, type Followed, type Fresh } from '../../alerts.ports.js';
import type { Circumstances } from '../../domain/alerts/circumstances.js';
import type { LotFacts } from '../../domain/alerts/facts.js';
import { BATCH, unalerted } from './alert-source.js';
import { type Figure, figure } from '../../domain/figures.js';

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

/** Lots that expire, are recalled or affected, or were used beyond what there was. */
@Injectable()
export class LotSource extends AlertSource<LotFacts> {
  constructor(private readonly parties: Parties) {
    super();
  }

  override async fresh(tx: TenantTx, { place, final, head }: Followed, at: Circumstances): Promise<Fresh> {
    const since = place === null ? -1 : Number(place);
    const maps = [...at.maps].filter(([name]) => !name.includes('@'));
    const rows = await tx.sql<{ id: string }>(`(${EXPIRED}) union (${EXPIRING}) union (${RECALLED}) union (${AFFECTED}) limit ${BATCH}`, [
      tx.tenantId,
      at.now,
      at.thresholds.expiringSoonWithinSeconds,
      maps.map(([name]) => name),
      maps.map(([, { expiringSoonWithinSeconds: within }]) => within),
    ]);
    const [next] = await tx.sql<{ block: string | null }>(NEXT_BLOCK, [tx.tenantId, since, head]);
    const upTo = Number(next?.block ?? head);
    const overused = await tx.sql<{ id: string }>(OVERUSED, [tx.tenantId, since, upTo, at.thresholds.overConsumptionShare]);
    return {
      ids: [...new Set([...rows, ...overused].map(({ id }) => id))],
      // What can still be undone is looked at again.
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
    and not l.is_container and ${unalerted('lot', 'LOT_EXPIRED', 'l.token_id')} limit ${BATCH}`;

const EXPIRING = `select l.token_id::text as id from traceability.lot_v1 l
  left join unnest($4::text[], $5::float8[]) as m(name, within) on m.name = l.process_map_name
  where l.tenant_id = $1 and l.expires_at > $2
    and l.expires_at <= $2::timestamptz + make_interval(secs => greatest($3, (select max(w) from unnest($5::float8[]) w)))
    and l.expires_at <= $2::timestamptz + make_interval(secs => coalesce(m.within, $3))
    and l.retired_at is null and not l.used_up and not l.is_container and ${unalerted('lot', 'LOT_EXPIRING', 'l.token_id')} limit ${BATCH}`;

const RECALLED = `select l.token_id::text as id from traceability.lot_v1 l
  where l.tenant_id = $1 and l.recalled_at is not null and l.retired_at is null and not l.used_up
    and ${unalerted('lot', 'RECALLED_IN_STOCK', 'l.token_id')} limit ${BATCH}`;

const AFFECTED = `select l.token_id::text as id from (select distinct tenant_id, token_id from traceability.recall_affected_v1 where tenant_id = $1) r
  join traceability.lot_v1 l on l.tenant_id = r.tenant_id and l.token_id = r.token_id
  where l.recalled_at is null and l.retired_at is null and not l.used_up
    and ${unalerted('lot', 'RECALL_AFFECTED_LIVE', 'l.token_id')} limit ${BATCH}`;

/** An event with several outputs has an edge to each, with the same draw. */
const USED = (lots: string): string =>
  `select from_token, sum(quantity) as used from (
     select e.from_token, e.event_id, max(e.quantity) as quantity from traceability.edge_v1 e
     where e.tenant_id = $1 and e.kind = 'transformation' and e.from_token in (${lots}) group by 1, 2) drawn group by 1`;

/** Where two thousand events more have landed: a look is bounded. */
const NEXT_BLOCK = `select block_number as block from traceability.event_key_v1
  where tenant_id = $1 and block_number > $2 and block_number <= $3 order by block_number offset 2000 limit 1`;

/** Only what events since the last look drew on can have passed its quantity. */
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
     join recall.standing_v1 s on s.tenant_id = r.tenant_id and s.token_id = r.root_token_id
     where r.tenant_id = $1 and r.token_id = l.token_id and s.recall_class in ('I', 'II', 'III')) as recall_class
  from traceability.lot_v1 l
  left join (${USED('select unnest($2::bigint[])')}) u on u.from_token = l.token_id
  where l.tenant_id = $1 and l.token_id = any ($2::bigint[])
  order by l.token_id`;
