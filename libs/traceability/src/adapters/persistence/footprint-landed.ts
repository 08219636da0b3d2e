import type { TenantTx } from '#persistence';
import type { AsOf } from '../../contract.js';
import type { EventLine } from '../../domain/projection-event.js';
import { idList, idsIn } from './id-lists.js';

/** A landed event of the tree, before its words are known. */
export interface EventRow {
  readonly id: string;
  readonly kind: string | null;
  readonly processType: string | null;
  readonly map: string | null;
  readonly version: string | null;
  readonly landedAt: Date;
  readonly block: number;
  readonly logIndex: number;
  readonly containmentMode: number;
  readonly inputs: readonly bigint[];
  /** Millionths, as many as inputs or none. */
  readonly consumed: readonly string[];
  readonly made: readonly bigint[];
  readonly outputs: readonly EventLine[];
  /** The event whose words stand: the last correction of this one, or itself. */
  readonly wordsOf: string;
}

/** A correction of a correction, and so on: a chain longer than anybody writes, so that a loop would end. */
const MAX_CORRECTIONS = 1000;

/** More events than this around one lot are refused: memory per request stays bounded. */
export const MAX_EVENTS = 100_000;

/** As it comes: lists comma-separated, null where they are empty, the time in seconds. */
interface LandedRow extends Omit<EventRow, 'landedAt' | 'inputs' | 'consumed' | 'made' | 'wordsOf'> {
  readonly landedAt: number;
  readonly inputs: string | null;
  readonly consumed: string | null;
  readonly made: string | null;
  readonly correctedBy: string | null;
}

/**
 * Landed events that name any of these lots, `MAX_EVENTS` + 1 at most. The laterals keep the planner to the indexes, whatever it believes
 * about the number of lots.
 */
export async function landedEvents(tx: TenantTx, tokenIds: readonly bigint[], asOf: AsOf): Promise<readonly EventRow[]> {
  const rows = await tx.sql<LandedRow>(
    `select e.id, e.kind, e.process_type as "processType", e.process_map_name as map, e.process_map_version as version,
       extract(epoch from e.landed_at)::float8 as "landedAt", e.block_number::integer as block, e.log_index as "logIndex", e.containment_mode as "containmentMode",
       array_to_string(nullif(e.input_token_ids, '{}'), ',') as inputs, array_to_string(nullif(e.consumed, '{}'), ',') as consumed,
       array_to_string(nullif(e.output_token_ids, '{}'), ',') as made, e.outputs,
       case when $3::bigint is null or e.superseded_block <= $3 then e.superseded_by end as "correctedBy"
     from (
       select distinct n.event_id from unnest($2::bigint[]) as l(token_id)
       cross join lateral (
         select n.event_id from traceability.event_lot n where n.tenant_id = $1 and n.token_id = l.token_id offset 0) n) n
     cross join lateral (
       select * from traceability.event e
       where e.tenant_id = $1 and e.id = n.event_id and e.block_number is not null and ($3::bigint is null or e.block_number <= $3)
         and (e.void_block is null or e.void_block > $3)
       offset 0) e
     limit $4`,
    [tx.tenantId, idList(tokenIds), asOf, MAX_EVENTS + 1],
  );
  const last = await lastCorrections(
    tx,
    rows.flatMap(({ correctedBy }) => correctedBy ?? []),
    asOf,
  );
  return rows.map((row) => ({
    ...row,
    landedAt: new Date(Math.round(row.landedAt * 1000)),
    inputs: idsIn(row.inputs),
    consumed: row.consumed?.split(',') ?? [],
    made: idsIn(row.made),
    wordsOf: row.correctedBy === null ? row.id : last.get(row.correctedBy)!,
  }));
}

/** Of these events, each with the last event that corrects it, itself where none does. */
async function lastCorrections(tx: TenantTx, ids: readonly string[], asOf: AsOf): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await tx.sql<{ id: string; last: string }>(
    `with recursive corrected as (
       select id, id as last, 0 as step from unnest($2::uuid[]) as given(id)
       union all
       select c.id, a.superseded_by, c.step + 1 from corrected c
       join traceability.event a on a.tenant_id = $1 and a.id = c.last
        and a.superseded_by is not null and ($3::bigint is null or a.superseded_block <= $3)
       where c.step < ${MAX_CORRECTIONS}
     )
     select distinct on (id) id, last from corrected order by id, step desc`,
    [tx.tenantId, ids, asOf],
  );
  return new Map(rows.map(({ id, last }) => [id, last]));
}
