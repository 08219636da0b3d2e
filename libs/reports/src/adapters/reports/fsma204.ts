import { IntegerField, NumberField, StringField } from '#http';
import { nextTurn } from '#kernel';
import type { TenantTx } from '#persistence';
import { Lots } from '#traceability';
import { Injectable } from '@nestjs/common';
import { SHEET_COLUMNS, type SheetEvent, type SheetLot, type SheetRow, sheetRows } from '../../domain/fsma-sheet.js';
import { type About, type Outcome, Report, type Scope } from '../../ports.js';
import { REPORT_READERS } from './access.js';

/** Events that one answer looks at, so that its lots stay few; it goes on with the next ones. */
const MOST_EVENTS = 500;

/** Events whose rows are made before others have a turn. */
const AT_ONCE = 20;

const NUMBERS = new Set(['quantity', 'inputQuantity']);

/** A member a column, each null where there is nothing to say. */
class SheetRowView {}
for (const [key, header] of SHEET_COLUMNS)
  (NUMBERS.has(key) ? NumberField : StringField)({ description: header, nullable: true })(SheetRowView.prototype, key);

class SheetSummaryView {
  @IntegerField({ description: 'Rows of this page' })
  rows: number;

  @IntegerField({ description: 'Events of this page' })
  events: number;
}

const about: About = {
  name: 'fsma204',
  title: 'FSMA 204 sortable spreadsheet (21 CFR 1.1455): one row an event and lot',
  access: REPORT_READERS,
  parameters: [{ name: 'tlc', description: 'Only events that name the lot with this code, or a container of it', maxLength: 200 }],
  rows: 'rows',
  rowView: () => SheetRowView,
  summaryView: () => SheetSummaryView,
  columns: SHEET_COLUMNS.map(([key, name]) => ({ name, unit: NUMBERS.has(key) ? 'as its unit column says' : null, description: name })),
  // Time of the last event (empty for one without), its id, rows of it that were shown.
  place: [/^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{1,6}Z)?$/, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, /^\d{1,9}$/],
};

interface Row extends SheetEvent {
  /** As text, with the microseconds that a Date has not. */
  readonly place: string;
  readonly block: string;
  readonly logIndex: number;
}

/**
 * domain-decisions §6.7, by the time that an event first gave, oldest first; a corrected one shows its last words. Events without a time
 * come first, where no period is asked for.
 */
@Injectable()
export class FsmaReport extends Report<SheetRow> {
  static readonly about = about;

  constructor(private readonly lots: Lots) {
    super();
  }

  override async run(tx: TenantTx, scope: Scope): Promise<Outcome<SheetRow>> {
    const events = await eventsOf(tx, scope, Math.min(scope.limit, MOST_EVENTS));
    // Others have their turn between the steps: a page is some megabytes of metadata and forty columns a row.
    await nextTurn();
    const contents = await this.contentsOf(tx, events);
    const lots = await lotsOf(tx, scope, events, contents);
    await nextTurn();
    const rows: SheetRow[] = [];
    let next: readonly string[] | null = null;
    for (const [i, event] of events.entries()) {
      if (i % AT_ONCE === AT_ONCE - 1) await nextTurn();
      let shown = i === 0 && scope.after?.[1] === event.id ? Number(scope.after[2]) : 0;
      const skip = shown;
      let n = 0;
      for (const row of sheetRows(event, lots, contents.get(event.id) ?? NOTHING)) {
        if (n++ < skip) continue;
        if (rows.length === scope.limit) return { ...pageOf(rows, i + 1), next: [event.place, event.id, String(shown)] };
        rows.push(row);
        shown++;
      }
      next = [event.place, event.id, '999999999'];
    }
    return { ...pageOf(rows, events.length), next: events.length === Math.min(scope.limit, MOST_EVENTS) ? next : null };
  }

  override lines(row: SheetRow) {
    return [Object.fromEntries(SHEET_COLUMNS.map(([key, name]) => [name, row[key]]))];
  }

  /** What lay in containers when they were moved or looked at, by event: the sheet names food, not pallets. */
  private async contentsOf(tx: TenantTx, events: readonly Row[]): Promise<ReadonlyMap<string, Contents>> {
    const moved = new Map(events.filter(({ kind }) => kind === 'transfer' || kind === 'observation').map((one) => [momentOf(one), one]));
    const asked = [...moved.values()].flatMap(({ inputs, block, logIndex }) =>
      inputs.map(({ tokenId }) => ({ containerTokenId: BigInt(tokenId), moment: { block: Number(block), logIndex } })),
    );
    const inside = new Map<string, Map<number, number[]>>();
    for (const { containerTokenId, moment, tokenId } of await this.lots.contentsAt(tx, asked)) {
      const { id } = moved.get(momentOf(moment))!;
      const containers = inside.get(id) ?? new Map<number, number[]>();
      inside.set(id, containers);
      containers.set(Number(containerTokenId), [...(containers.get(Number(containerTokenId)) ?? []), Number(tokenId)]);
    }
    return inside;
  }
}

type Contents = ReadonlyMap<number, readonly number[]>;
const NOTHING: Contents = new Map();
const momentOf = ({ block, logIndex }: { readonly block: number | string; readonly logIndex: number }): string => `${block}/${logIndex}`;
const pageOf = (rows: readonly SheetRow[], events: number) => ({ rows, total: null, summary: { rows: rows.length, events } });

/** In the order of an index, so that any page costs its own rows: first events without a time, then the others. */
async function eventsOf(tx: TenantTx, scope: Scope, limit: number): Promise<Row[]> {
  const { from, to, organisation, processes, after, parameters } = scope;
  const [time, id, shown] = after ?? [null, null, null];
  const given = [
    tx.tenantId,
    organisation?.orgId ?? null,
    processes,
    parameters['tlc'] ?? null,
    from,
    to,
    id,
    shown === null ? null : Number(shown),
  ];
  const untimed = from || to || (time !== null && time !== '') ? [] : await tx.sql<Row>(eventsBy(UNTIMED), [...given, null, limit]);
  if (untimed.length === limit) return untimed;
  const since = time === '' ? null : time;
  const known = since === null ? [...given.slice(0, 6), null, null] : given;
  return [...untimed, ...(await tx.sql<Row>(eventsBy(TIMED), [...known, since, limit - untimed.length]))];
}

/** A page begins with the event where the last one ended, unless all of its rows were shown. */
const AFTER_ID = '($7::uuid is null or e.id < $7 or (e.id = $7 and $8::integer < 999999999))';
const UNTIMED = `e.own_event_time is null and $9::timestamptz is null and $5::timestamptz is null and $6::timestamptz is null and ${AFTER_ID}`;
const TIMED = `e.own_event_time >= coalesce($9::timestamptz, $5::timestamptz, '-infinity') and e.own_event_time < coalesce($6::timestamptz, 'infinity')
  and ($9::timestamptz is null or e.own_event_time > $9 or ${AFTER_ID})`;

const eventsBy = (condition: string): string => `
  select e.id, p.fsma204 ->> 'cte' as cte, e.kind, e.event_time as "eventTime", e.event_time_zone_offset as "eventTimeZoneOffset", e.location,
    e.metadata, e.documents, coalesce(p.fields, '{}') as fields, e.inputs, e.outputs, e.block_number as block, e.log_index as "logIndex",
    coalesce(to_char(e.own_event_time at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), '') as place
  from (
    select e.* from traceability.event_v1 e
    where e.tenant_id = $1 and e.counts and ($2::text is null or e.org_id = $2) and ($3::text[] is null or e.process_type like any($3))
      and ($4::text is null or e.id in (
        select n.event_id from traceability.event_lot_v1 n join traceability.lot_v1 l on l.tenant_id = $1 and l.token_id = n.token_id
        where n.tenant_id = $1 and l.tlc = $4
        union all
        select n.event_id from traceability.lot_v1 l join traceability.lot_container_v1 h on h.tenant_id = $1 and h.token_id = l.token_id
        join traceability.event_lot_v1 n on n.tenant_id = $1 and n.token_id = h.container
          and n.block_number >= h.since and n.block_number <= coalesce(h.until, n.block_number)
        where l.tenant_id = $1 and l.tlc = $4))
      and ${condition}
    order by e.own_event_time nulls first, e.id desc limit $10
  ) e
  left join traceability.process_v1 p
    on p.tenant_id = $1 and p.map_name = e.process_map_name and p.map_version = e.process_map_version and p.process_type = e.process_type
  order by e.own_event_time nulls first, e.id desc`;

async function lotsOf(
  tx: TenantTx,
  scope: Scope,
  events: readonly Row[],
  contents: ReadonlyMap<string, Contents>,
): Promise<ReadonlyMap<number, SheetLot>> {
  const named = events.flatMap(({ inputs, outputs }) => [...inputs, ...outputs].map(({ tokenId }) => tokenId));
  const tokenIds = [...new Set([...named, ...[...contents.values()].flatMap((inside) => [...inside.values()].flat())])];
  const rows = await tx.sql<SheetLot & { readonly tokenId: string; readonly quantity: string | null }>(LOTS, [
    tx.tenantId,
    tokenIds,
    scope.readsAll ? null : scope.organisation!.orgId,
  ]);
  return new Map(
    rows.map(({ tokenId, quantity, ...lot }) => [Number(tokenId), { ...lot, quantity: quantity === null ? null : Number(quantity) }]),
  );
}

const LOTS = `
  select l.token_id as "tokenId", l.tlc, coalesce(m.metadata ->> 'productDescription', l.asset_type_name, l.asset_type) as description, l.gtin,
    l.quantity, l.uom, not l.is_container and coalesce((p.fsma204 ->> 'assignsTlc')::boolean, true) as assigned,
    case when $3::text is null or m.org_id = $3 then m.location end as source, m.metadata ->> 'tlcSourceReference' as "sourceReference"
  from traceability.lot_v1 l
  left join traceability.event_v1 m on m.tenant_id = $1 and m.id = l.mint_event_id
  left join traceability.process_v1 p
    on p.tenant_id = $1 and p.map_name = m.process_map_name and p.map_version = m.process_map_version and p.process_type = m.process_type
  where l.tenant_id = $1 and l.token_id = any($2::bigint[])`;
