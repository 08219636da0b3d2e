import { LOT_COLUMNS } from './columns.queries.js';
import type { TenantTx, Tx } from '#persistence';
import type { AsOf } from '../contract/lineage.js';
import { lotStatusSql } from './lot.js';
import type { LogBatch } from '#chain';

/** Which state is read: a block, and the time that expiry is held against. Both null = now. Holds are off chain and have no past. */
export interface StateAsOf {
  readonly block: AsOf;
  readonly time: Date | null;
}
export const NOW: StateAsOf = { block: null, time: null };

export type Parameter = (value: unknown) => string;

export function parametersOf(tx: TenantTx): { readonly values: unknown[]; readonly parameter: Parameter } {
  const values: unknown[] = [tx.tenantId];
  return { values, parameter: (value) => `$${values.push(value)}` };
}

/**
 * A lot is where the latest event took place that names it or the container that it was in then; of a part, also an event of the lot that
 * it was split from, up to the split. Only the last ones on chain are read,
 * so that a lot with many events costs no more than another.
 */
const EVENTS_FOR_PLACE = 50;

/** The tables and expressions of one state: now, or as of a block. */
export class StateSql {
  readonly current: string;
  readonly lots: string;
  private readonly at: string | null;
  private clock: string | null = null;

  constructor(
    { block, time }: StateAsOf,
    private readonly parameter: Parameter,
  ) {
    this.time = time;
    this.at = block === null ? null : `${parameter(block)}::bigint`;
    this.current = this.there('l');
    const holds =
      block === null
        ? 'left join traceability.lot_hold h on h.tenant_id = l.tenant_id and h.token_id = l.token_id'
        : 'cross join (select null::timestamptz as held_at) h';
    this.lots = `traceability.lot l ${holds}`;
  }

  private readonly time: Date | null;

  /** Made on first use: PostgreSQL refuses a parameter that the statement does not use, and not every statement uses the time. */
  get now(): string {
    if (this.time === null) return 'now()';
    this.clock ??= `${this.parameter(this.time)}::timestamptz`;
    return this.clock;
  }

  get status(): string {
    return this.statusBy('h.held_at');
  }

  /** @param held null for a lot that is not held */
  statusBy(held: string): string {
    return lotStatusSql('l', held, this.now);
  }

  /** Whether it is held. @param these a condition on all lots that are read, for which this is looked up together */
  heldAmong(these: string): string {
    if (this.at !== null) return 'false';
    return `l.token_id in (select h.token_id from traceability.lot_hold h where h.tenant_id = $1 and h.token_id ${these})`;
  }

  private there(table: string): string {
    const { at } = this;
    if (at === null) return `${table}.to_block is null`;
    return `${table}.from_block <= ${at} and (${table}.to_block is null or ${table}.to_block > ${at})`;
  }

  /**
   * Lots with everything that is shown of them; the tables are `l`, `h` and `p`, and an order may follow.
   * @param page a statement of the token ids of the lots that are read: what belongs to them is looked up for all of them together
   */
  listed(page: string): string {
    return `with recursive p as materialized (${page}), ${this.places}
      select ${this.columns}
      from p
      join ${this.lots} on l.token_id = p.token_id
      left join traceability.event e on e.tenant_id = l.tenant_id and e.id = l.mint_event_id
      left join place on place.lot = l.token_id
      left join traceability.event at on at.tenant_id = l.tenant_id and at.id = place.event_id
      left join identity.party_v1 party on party.tenant_id = l.tenant_id and party.address = l.custodian
      where l.tenant_id = $1 and ${this.current}`;
  }

  /** A column of an event, with the words of its last correction. @param event its table, which has the event's own words */
  words(column: 'metadata' | 'event_time' | 'location' | 'declared_loss_kg', event = 'e'): string {
    const last = `traceability.words_at(${event}.tenant_id, ${event}.id, ${this.at ?? 'null'})`;
    const corrected = `(select w.${column} from traceability.event w where w.tenant_id = ${event}.tenant_id and w.id = ${last})`;
    return `case when ${event}.superseded_by is null then ${event}.${column} else ${corrected} end`;
  }

  /** Whether recalls of others affect it. @param these a condition on all lots that are read, for which this is looked up together */
  affectedAmong(these: string): string {
    return `l.token_id in (
          select a.token_id from traceability.recall_affected a
          where a.tenant_id = $1 and a.token_id ${these} and a.root_token_id <> a.token_id and ${this.there('a')})`;
  }

  /** The event that says where each lot of `p` is. Laterals keep the planner to the indexes, whatever it believes about their number. */
  private get places(): string {
    return `carrier(lot, token_id, since, until, until_log) as (
        select p.token_id, p.token_id, 0::bigint, null::bigint, null::integer from p
        union all
        select c.lot, v.* from carrier c cross join lateral (
          (select v.container_token_id, greatest(c.since, v.from_block), least(c.until, v.to_block),
             case when v.to_block is null or c.until <= v.to_block then c.until_log end
           from traceability.lot v
           where v.tenant_id = $1 and v.token_id = c.token_id and v.container_token_id is not null
             and (c.until is null or v.from_block <= c.until) and (v.to_block is null or v.to_block >= c.since) offset 0)
          union all
          (select w.split_from, c.since, w.from_block, w.from_log from traceability.lot w
           where w.tenant_id = $1 and w.token_id = c.token_id and w.split_from is not null order by w.from_block, w.from_log limit 1)) v
      ), place as (
        select distinct on (c.lot) c.lot, v.id as event_id
        from carrier c cross join lateral (
          select n.event_id from traceability.event_lot n
          where n.tenant_id = $1 and n.token_id = c.token_id and n.block_number >= c.since
            and (c.until is null or n.block_number <= c.until) ${this.then('n.block_number')}
          order by n.block_number desc limit ${EVENTS_FOR_PLACE}) n
        cross join lateral (
          select v.id, ${this.words('event_time', 'v')} as event_time, v.block_number, v.log_index from traceability.event v
          where v.tenant_id = $1 and v.id = n.event_id and ${this.words('location', 'v')} is not null and ${this.unvoided('v')}
            and (c.until_log is null or v.block_number < c.until or v.log_index < c.until_log) offset 0) v
        order by c.lot, v.event_time desc nulls last, v.block_number desc, v.log_index desc
      )`;
  }

  private unvoided(table: string): string {
    return this.at === null ? `${table}.void_block is null` : `(${table}.void_block is null or ${table}.void_block > ${this.at})`;
  }

  /** Up to the time. */
  then(column: string): string {
    return this.at === null ? '' : `and ${column} <= ${this.at}`;
  }

  private get columns(): string {
    return `${LOT_COLUMNS.map(({ name }) => `l.${name}`).join(', ')}, ${this.status} as status,
        coalesce(l.expires_at <= ${this.now}, false) as expired, h.held_at is not null as on_hold,
        ${this.affectedAmong('in (select token_id from p)')} as recall_affected,
        (select count(*) from traceability.event_lot n
         where n.tenant_id = l.tenant_id and n.token_id = l.token_id ${this.then('n.block_number')}) as event_count,
        ${this.words('metadata')} as metadata, e.org_id as minted_by_org, e.process_type, e.process_map_name as event_map, e.process_map_version as event_map_version,
        at.id as place_event, at.org_id as place_org, ${this.words('location', 'at')} as place_location,
        (${this.words('metadata', 'at')}) -> 'location' as place_stated,
        at.process_type as place_process, at.process_map_name as place_map, at.process_map_version as place_version,
        party.label as party_label, party.kind as party_kind`;
  }
}

export async function noteBlockTimes(tx: TenantTx, { chainId, logs }: LogBatch): Promise<void> {
  const blocks = [...new Map(logs.map(({ block }) => [block.number, block])).values()];
  await tx.sql(
    `insert into traceability.block_time (tenant_id, chain_id, block_number, at)
     select $1, $2, b.* from unnest($3::bigint[], $4::timestamptz[]) as b on conflict do nothing`,
    [tx.tenantId, chainId, blocks.map(({ number }) => number), blocks.map(({ timestamp }) => timestamp)],
  );
}

export async function undoBlockTimes(tx: Tx, chainId: number, lastGoodBlock: number): Promise<void> {
  await tx.sql('delete from traceability.block_time where chain_id = $1 and block_number > $2', [chainId, lastGoodBlock]);
}

/** The last block at or before a time in which anything of the tenant changed; 0 when nothing had. */
export async function blockAt(tx: TenantTx, time: Date): Promise<number> {
  const [row] = await tx.sql<{ block: string }>(
    'select block_number as block from traceability.block_time where tenant_id = $1 and at <= $2 order by at desc, block_number desc limit 1',
    [tx.tenantId, time],
  );
  return row ? Number(row.block) : 0;
}

/** When the last block up to this one was made in which anything of the tenant changed; null when nothing had. */
export async function timeOfBlock(tx: TenantTx, block: number): Promise<Date | null> {
  const [row] = await tx.sql<{ at: Date }>(
    'select at from traceability.block_time where tenant_id = $1 and block_number <= $2 order by block_number desc limit 1',
    [tx.tenantId, block],
  );
  return row?.at ?? null;
}
