import type { TenantTx } from '#persistence';
import type { AsOf, WalkBounds } from '../contract/lineage.js';
import { idList, idsIn } from '../lots/columns.queries.js';
import { alongEdges, type Walk, walkLineage } from '../lineage/walk.queries.js';
import type { Line } from '../events/event-record.js';

/** What a footprint is made of: the lots asked about, all they were made or split from, and the containers that these lay in. */
export interface FootprintTree {
  /** The lot itself; for a container the goods that were packed into it. */
  readonly roots: ReadonlySet<bigint>;
  /** The roots and their ancestors. */
  readonly lots: ReadonlySet<bigint>;
  readonly containers: ReadonlySet<bigint>;
  readonly walk: Pick<Walk, 'truncated' | 'truncatedBy' | 'frontier'>;
}

/** Levels of containers: the most edges from a lot to the outermost one (docs/spec/domain.md#containment). */
const MAX_CONTAINERS_DEEP = 8;

export async function treeOf(
  tx: TenantTx,
  lot: { readonly tokenId: bigint; readonly depth: number },
  bounds: WalkBounds,
  asOf: AsOf,
): Promise<FootprintTree> {
  const roots = lot.depth === 0 ? new Set([lot.tokenId]) : (await insideOf(tx, new Set([lot.tokenId]), asOf)).goods;
  const starts = [...roots].map((tokenId) => ({ tokenId, role: 0 }));
  const walk = await walkLineage(tx, starts, INPUTS, bounds, asOf);
  const lots = new Set([...roots, ...walk.found.map(({ tokenId }) => tokenId)]);
  return { roots, lots, containers: await around(tx, lots, asOf), walk };
}

const INPUTS = alongEdges('to', ['transformation', 'split']);

const LIVE = '(void_block is null or void_block > $3) and ($3::bigint is null or block_number <= $3)';

/** All containers that any of the lots was ever packed in. */
async function around(tx: TenantTx, lots: ReadonlySet<bigint>, asOf: AsOf): Promise<Set<bigint>> {
  const found = new Set<bigint>();
  let level: readonly bigint[] = [...lots];
  for (let depth = 0; depth < MAX_CONTAINERS_DEEP && level.length > 0; depth++) {
    const rows = await tx.sql<{ token_id: string }>(
      `select distinct e.to_token as token_id from unnest($2::bigint[]) as n(token_id) cross join lateral (
         select to_token from traceability.edge
         where tenant_id = $1 and from_token = n.token_id and kind = 'containment' and ${LIVE} offset 0) e`,
      [tx.tenantId, idList(level), asOf],
    );
    level = rows.map((row) => BigInt(row.token_id)).filter((container) => !found.has(container));
    for (const container of level) found.add(container);
  }
  return found;
}

/** What was packed into containers, at any depth: the goods, and who went into which. */
export async function insideOf(
  tx: TenantTx,
  containers: ReadonlySet<bigint>,
  asOf: AsOf,
): Promise<{ readonly goods: ReadonlySet<bigint>; readonly packed: ReadonlyMap<bigint, readonly bigint[]> }> {
  const packed = new Map<bigint, bigint[]>();
  const goods = new Set<bigint>();
  let level: readonly bigint[] = [...containers];
  while (level.length > 0) {
    const rows = await tx.sql<{ container: string; token_id: string; is_container: boolean }>(
      `select n.token_id as container, e.from_token as token_id, l.depth > 0 as is_container
       from unnest($2::bigint[]) as n(token_id)
       cross join lateral (
         select from_token from traceability.edge
         where tenant_id = $1 and to_token = n.token_id and kind = 'containment' and ${LIVE} offset 0) e
       cross join lateral (
         select depth from traceability.lot where tenant_id = $1 and token_id = e.from_token and to_block is null offset 0) l
       order by e.from_token`,
      [tx.tenantId, idList(level), asOf],
    );
    const next = new Set<bigint>();
    for (const row of rows) {
      const [container, tokenId] = [BigInt(row.container), BigInt(row.token_id)];
      packed.set(container, [...(packed.get(container) ?? []), tokenId]);
      if (!row.is_container) goods.add(tokenId);
      else if (!packed.has(tokenId)) next.add(tokenId);
    }
    level = [...next];
  }
  return { goods, packed };
}

/** A landed event of the tree, before its words are known. */
export interface TreeRow {
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
  readonly outputs: readonly Line[];
  /** The event whose words count: the last correction of this one, or itself. */
  readonly wordsOf: string;
}

/** A correction of a correction, and so on: a chain longer than anybody writes, so that a loop would end. */
const MAX_CORRECTIONS = 1000;

/** More events than this around one lot are refused: memory per request stays bounded. */
export const MAX_EVENTS = 100_000;

/** As it comes: lists comma-separated, null where they are empty, the time in seconds. */
interface LandedRow extends Omit<TreeRow, 'landedAt' | 'inputs' | 'consumed' | 'made' | 'wordsOf'> {
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
export async function landedEvents(tx: TenantTx, tokenIds: readonly bigint[], asOf: AsOf): Promise<readonly TreeRow[]> {
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

/** The last event that corrects each event; the event itself where there is no correction. */
async function lastCorrections(tx: TenantTx, ids: readonly string[], asOf: AsOf): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await tx.sql<{ id: string; last: string }>(
    `with recursive corrected as (
       select id, id as last, 0 as hops from unnest($2::uuid[]) as given(id)
       union all
       select c.id, a.superseded_by, c.hops + 1 from corrected c
       join traceability.event a on a.tenant_id = $1 and a.id = c.last
        and a.superseded_by is not null and ($3::bigint is null or a.superseded_block <= $3)
       where c.hops < ${MAX_CORRECTIONS}
     )
     select distinct on (id) id, last from corrected order by id, hops desc`,
    [tx.tenantId, ids, asOf],
  );
  return new Map(rows.map(({ id, last }) => [id, last]));
}
