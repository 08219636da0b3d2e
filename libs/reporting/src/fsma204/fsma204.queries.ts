import { LotKey, pointerNames, readOwnLotUri } from '#kernel';
import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import type { ReportScope } from '../reports/report.js';
import type { OwnEvent, SheetProcess } from './kde.js';
import type { Cte, SheetLot } from './sheet.rules.js';
import { processName } from './sheet-processes.queries.js';
import { textOf } from './sheet-columns.js';

export interface CteRow extends Cte {
  /** Own event time as text, with microseconds, which a Date does not have. */
  readonly place: string;
  readonly block: string;
  readonly logIndex: number;
}

interface ProcessColumns {
  readonly map: string | null;
  readonly version: string | null;
  readonly processType: string | null;
}

type Processes = ReadonlyMap<string, SheetProcess>;

@Injectable()
export class Fsma204Queries {
  /** In the order of an index, so that every page costs only its own rows: events without a time first, then by time. */
  async events(tx: TenantTx, scope: ReportScope, processes: Promise<Processes>, limit: number): Promise<readonly CteRow[]> {
    const { from, to, organisation, processes: readable, after, parameters } = scope;
    const [time, id, shown] = after ?? [null, null, null];
    const place = [id, shown === null ? null : Number(shown)];
    const code = parameters['tlc'] === undefined ? null : await codeIn(tx, parameters['tlc']);
    const given = [tx.tenantId, organisation?.orgId ?? null, readable, code, from, to];
    const readsUntimed = !from && !to && (time === null || time === '');
    const since = time === '' ? null : time;
    // Both are sent together: hardly any event has no time.
    const [untimed, timed] = await Promise.all([
      readsUntimed ? eventsIn(tx, UNTIMED, [...given, ...place, null, limit], processes) : [],
      eventsIn(tx, TIMED, [...given, ...(since === null ? [null, null] : place), since, limit], processes),
    ]);
    return [...untimed, ...timed].slice(0, limit);
  }

  /** @param orgId whose restricted data the caller may see; null = of every organisation */
  async lots(
    tx: TenantTx,
    tokenIds: readonly number[],
    processes: Processes,
    orgId: string | null,
  ): Promise<ReadonlyMap<number, SheetLot>> {
    const pointers = [
      ...new Set([...processes.values()].flatMap((process) => Object.values(wordsAt(process))).concat(Object.values(USUAL))),
    ];
    const rows = await tx.sql<LotRow>(lotsWith(pointers.length), [tx.tenantId, tokenIds, orgId, ...pointers.map(pointerNames)]);
    return new Map(
      rows.map(({ tokenId, stated, minted, location, ...row }) => {
        const process = processes.get(processName(row));
        const at = process ? wordsAt(process) : USUAL;
        const said = (pointer: string): unknown => stated[pointers.indexOf(pointer)];
        const { tlc, name, gtin, isContainer } = row;
        const lot: SheetLot = {
          tlc,
          // The words of the event that made it are about its main output.
          description: (minted === 1 ? textOf(said(at.description)) : null) ?? name,
          gtin,
          assigned: !isContainer && (process?.assigns ?? true),
          source: said(at.source) ?? (process?.cte === 'receiving' ? null : location),
          sourceReference: textOf(said(at.reference)),
        };
        return [Number(tokenId), lot];
      }),
    );
  }

  /**
   * Events that name the lots, or the lots that they were split from before they were, the latest first.
   * @param processTypes of which there is something to read
   * @param orgId whose restricted data the caller may see; null = of every organisation
   */
  async own(
    tx: TenantTx,
    tokenIds: readonly number[],
    {
      processes,
      processTypes,
      orgId,
    }: { readonly processes: Processes; readonly processTypes: readonly string[]; readonly orgId: string | null },
  ): Promise<ReadonlyMap<number, readonly OwnEvent[]>> {
    const found = new Map<number, OwnEvent[]>();
    if (tokenIds.length === 0 || processTypes.length === 0) return found;
    const rows = await tx.sql<OwnRow>(OWN, [tx.tenantId, tokenIds, processTypes, orgId]);
    for (const { tokenId, block, logIndex, metadata, readable, ...row } of rows) {
      const process = processes.get(processName(row));
      if (!process) continue;
      const events = found.get(Number(tokenId)) ?? [];
      found.set(Number(tokenId), events);
      events.push({ tokenId: Number(tokenId), block: Number(block), logIndex, process, metadata, readable });
    }
    return found;
  }
}

interface EventRow extends Omit<CteRow, 'process'>, ProcessColumns {}

async function eventsIn(tx: TenantTx, condition: string, parameters: unknown[], processes: Promise<Processes>): Promise<CteRow[]> {
  const [rows, known] = await Promise.all([tx.sql<EventRow>(eventsBy(condition), parameters), processes]);
  return rows.map((row) => Object.assign(row, { process: known.get(processName(row)) ?? null }));
}

/** Where a process keeps what the sheet says of the lots that it makes. */
const USUAL = { description: '/productDescription', source: '/tlcSource', reference: '/tlcSourceReference' };

function wordsAt({ kdes, fields }: SheetProcess): typeof USUAL {
  const of = (term: string): string | undefined => kdes.find((kde) => kde.term === term)?.pointer;
  return {
    description: of('productDescription') ?? fields['productDescription'] ?? USUAL.description,
    source: of('tlcSource') ?? USUAL.source,
    reference: of('tlcSourceReference') ?? USUAL.reference,
  };
}

/** A page begins with the event at which the last page ended, unless all rows of it were shown. */
const AFTER_ID = '($7::uuid is null or e.id < $7 or (e.id = $7 and $8::integer < 999999999))';
const UNTIMED = `e.own_event_time is null and $9::timestamptz is null and $5::timestamptz is null and $6::timestamptz is null and ${AFTER_ID}`;
const TIMED = `e.own_event_time >= coalesce($9::timestamptz, $5::timestamptz, '-infinity') and e.own_event_time < coalesce($6::timestamptz, 'infinity')
  and ($9::timestamptz is null or e.own_event_time > $9 or ${AFTER_ID})`;

/** The code or the key that a lot is asked for by: an IRI of another tenant names none, and no lot has one for a code. */
async function codeIn(tx: TenantTx, asked: string): Promise<string> {
  const own = readOwnLotUri(asked);
  if (!own) return LotKey.read(asked)?.text ?? asked;
  const [tenant] = await tx.sql<{ slug: string }>('select slug from identity.tenant_v1 where tenant_id = $1', [tx.tenantId]);
  return tenant?.slug === own.tenant ? own.code : asked;
}

const PROCESS = 'e.process_map_name as map, e.process_map_version as version, e.process_type as "processType"';

const eventsBy = (condition: string): string => `
  select e.id, ${PROCESS}, e.kind, e.event_time as "eventTime", e.event_time_zone_offset as "eventTimeZoneOffset", e.location,
    e.metadata, e.documents, e.inputs, e.outputs, e.block_number as block, e.log_index as "logIndex",
    coalesce(to_char(e.own_event_time at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), '') as place
  from traceability.event_v1 e
  where e.tenant_id = $1 and e.counts and ($2::text is null or e.org_id = $2) and ($3::text[] is null or e.process_type like any($3))
    and ($4::text is null or e.id in (
      select n.event_id from traceability.event_lot_v1 n join traceability.lot_v1 l on l.tenant_id = $1 and l.token_id = n.token_id
      where n.tenant_id = $1 and (l.tlc = $4 or l.key = $4)
      union all
      select n.event_id from traceability.lot_v1 l join traceability.lot_container_v1 h on h.tenant_id = $1 and h.token_id = l.token_id
      join traceability.event_lot_v1 n on n.tenant_id = $1 and n.token_id = h.container
        and n.block_number >= h.since and n.block_number <= coalesce(h.until, n.block_number)
      where l.tenant_id = $1 and (l.tlc = $4 or l.key = $4)))
    and ${condition}
  order by e.own_event_time nulls first, e.id desc limit $10`;

interface LotRow extends ProcessColumns {
  readonly tokenId: string;
  readonly tlc: string;
  readonly name: string | null;
  readonly gtin: string | null;
  readonly isContainer: boolean;
  /** Its place, or that of the lot that it is a part of, among the outputs of the event that made it, from 1. */
  readonly minted: number | null;
  /** Where it was made; null if the reader may not see it. */
  readonly location: unknown;
  readonly stated: readonly unknown[];
}

const lotsWith = (pointers: number): string => `
  select l.token_id as "tokenId", l.tlc, coalesce(l.asset_type_name, l.asset_type) as name, l.gtin, l.is_container as "isContainer",
    coalesce(array_position(e.output_token_ids, l.token_id), case when l.split_from is not null then (
      select o.place from jsonb_array_elements(e.outputs) with ordinality as o(line, place) where o.line ->> 'tlcHash' = l.tlc_hash limit 1) end)::integer as minted, ${PROCESS},
    case when $3::text is null or e.org_id = $3 then e.location end as location,
    jsonb_build_array(${Array.from({ length: pointers }, (_, i) => `e.metadata #> $${i + 4}::text[]`).join(', ')}) as stated
  from traceability.lot_v1 l
  left join traceability.event_v1 e on e.tenant_id = $1 and e.id = l.mint_event_id
  where l.tenant_id = $1 and l.token_id = any($2::bigint[])`;

interface OwnRow extends ProcessColumns {
  readonly tokenId: string;
  readonly block: string;
  readonly logIndex: number;
  readonly metadata: unknown;
  readonly readable: boolean;
}

/** Of a part also the events of the lot that it was split from, before that. Each lateral reads an index, whatever the planner expects. */
const OWN = `
  select t.lot as "tokenId", e.* from traceability.lot_wholes_v1($1, $2::bigint[]) t
  cross join lateral (
    select n.event_id from traceability.event_lot_v1 n where n.tenant_id = $1 and n.token_id = t.token_id offset 0) n
  cross join lateral (
    select ${PROCESS}, e.block_number as block, e.log_index as "logIndex", e.metadata, $4::text is null or e.org_id = $4 as readable
    from traceability.event_v1 e
    where e.tenant_id = $1 and e.id = n.event_id and e.counts and e.process_type = any($3::text[])
      and (t.until_block is null or (e.block_number, e.log_index) < (t.until_block, t.until_log)) offset 0) e
  order by e.block desc, e."logIndex" desc`;
