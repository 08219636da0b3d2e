import type { TenantTx } from '#persistence';
import type { AsOf } from '../../contract.js';
import type { EdgeKind } from '../../domain/edge.js';
import type { LineageEdge } from '../../domain/lineage-graph.js';
import { idList } from './id-lists.js';
import { LIVE } from './lineage-reach.js';

interface Row {
  readonly from: string;
  readonly to: string;
  readonly kind: EdgeKind;
  readonly eventId: string;
  readonly processType: string | null;
  /** Lots that the event made. */
  readonly made: number;
  /** What the target took of the source, and what there was of the source, in millionths of `uom`. */
  readonly amount: string | null;
  readonly whole: string | null;
  readonly uom: string | null;
  readonly unitKg: number | null;
}

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

/** Edges of transformations at one end of a lot, by the other end; no more than asked for. */
export async function neighbours(tx: TenantTx, tokenId: bigint, end: 'from' | 'to', limit: number, asOf: AsOf): Promise<readonly bigint[]> {
  const other = end === 'from' ? 'to' : 'from';
  const rows = await tx.sql<{ token_id: string }>(
    `select ${other}_token as token_id from traceability.edge
     where tenant_id = $1 and ${end}_token = $3 and kind = 'transformation'
       and (void_block is null or void_block > $2::bigint) and ($2::bigint is null or block_number <= $2::bigint)
     order by ${other}_token limit $4`,
    [tx.tenantId, asOf, tokenId, limit],
  );
  return rows.map((row) => BigInt(row.token_id));
}

/** More edges into the lots of one answer than this are not read: memory per request stays bounded. */
export const MAX_EDGES = 50_000;
/** The same for an answer that goes on after others, whose edges it needs too. */
export const MAX_EDGES_CONTINUED = 200_000;

/**
 * The edges between these lots, with their shares. What a source gave is compared with all that its target took, also from sources that
 * are not asked about. A sum with an unknown mass in it is unknown, unless it has one part only.
 * @returns null where there are more than `most` edges into these lots
 */
export async function edgesBetween(
  tx: TenantTx,
  tokenIds: readonly bigint[],
  kinds: readonly EdgeKind[],
  asOf: AsOf,
  most: number,
): Promise<readonly LineageEdge[] | null> {
  const rows = await edgesInto(tx, tokenIds, kinds, asOf, most + 1);
  if (rows.length > most) return null;
  const asked = new Set(tokenIds.map(String));
  const taken = takenBy(rows);
  const made = await massesMade(
    tx,
    rows.filter((row) => row.made > 1 && row.kind === 'transformation' && asked.has(row.from)),
  );
  return rows
    .filter((row) => asked.has(row.from))
    .map((row) => edgeOf(row, taken.get(row.to)!, made))
    .sort((a, b) => compare(a.to, b.to) || compare(a.from, b.from));
}

const edgeOf = (row: Row, { sources, kg }: Taken, made: Made): LineageEdge => ({
  from: BigInt(row.from),
  to: BigInt(row.to),
  kind: row.kind,
  eventId: row.eventId,
  processType: row.processType,
  quantity: row.amount === null ? null : BigInt(row.amount),
  uom: row.uom,
  inputShare: row.whole === null ? 1 : part(row.amount === null ? null : Number(row.amount), Number(row.whole)),
  outputShare: sources === 1 ? 1 : part(massOf(row), kg),
  madeShare: row.kind === 'containment' || row.made === 1 ? 1 : part(made.lots.get(row.to) ?? null, made.events.get(row.eventId) ?? null),
});

/** How many of these lots, the first ones, have no more than `most` edges into them. */
export async function lotsWithin(
  tx: TenantTx,
  tokenIds: readonly bigint[],
  kinds: readonly EdgeKind[],
  asOf: AsOf,
  most: number,
): Promise<number> {
  const [row] = await tx.sql<{ lots: string }>(
    `select count(*) as lots from (
       select sum(e.edges) over (order by n.place) as edges
       from unnest($3::bigint[]) with ordinality as n(token_id, place)
       cross join lateral (
         select count(*) as edges from traceability.edge e where e.tenant_id = $1 and e.to_token = n.token_id and e.kind = any($4::text[])
           and ${LIVE}) e) so_far
     where edges <= $5::bigint`,
    [tx.tenantId, asOf, idList(tokenIds), kinds, most],
  );
  return Number(row!.lots);
}

interface Taken {
  readonly sources: number;
  readonly kg: number | null;
}

interface Made {
  readonly events: ReadonlyMap<string, number | null>;
  readonly lots: ReadonlyMap<string, number | null>;
}

const part = (of: number | null, whole: number | null): number | null => (of === null || whole === null || whole === 0 ? null : of / whole);

const massOf = ({ amount, unitKg }: Row): number | null => (amount === null || unitKg === null ? null : Number(amount) * unitKg);

/** What each target took in all. */
function takenBy(rows: readonly Row[]): ReadonlyMap<string, Taken> {
  const taken = new Map<string, Taken>();
  for (const row of rows) {
    const so = taken.get(row.to);
    taken.set(row.to, so ? { sources: so.sources + 1, kg: sum(so.kg, massOf(row)) } : { sources: 1, kg: massOf(row) });
  }
  return taken;
}

const sum = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a + b);

/** All edges into these lots. The laterals keep the planner to the indexes, whatever it believes about the number of lots. */
function edgesInto(tx: TenantTx, tokenIds: readonly bigint[], kinds: readonly EdgeKind[], asOf: AsOf, limit: number): Promise<Row[]> {
  return tx.sql<Row>(
    `select e.from_token as "from", e.to_token as "to", e.kind, e.event_id as "eventId", v.process_type as "processType", v.made,
       case e.kind when 'transformation' then e.quantity else (
         select l.remaining from traceability.lot l
         where l.tenant_id = $1 and l.token_id = e.from_token and l.from_block <= e.block_number
         order by l.from_block desc, l.from_log desc limit 1) end as amount,
       s.quantity as whole, s.uom, s.unit_kg::float8 as "unitKg"
     from unnest($3::bigint[]) as n(token_id)
     cross join lateral (
       select e.from_token, e.to_token, e.kind, e.event_id, e.quantity, e.block_number from traceability.edge e
       where e.tenant_id = $1 and e.to_token = n.token_id and e.kind = any($4::text[]) and ${LIVE}
       offset 0) e
     cross join lateral (
       select l.quantity, l.uom, l.unit_kg from traceability.lot l
       where l.tenant_id = $1 and l.token_id = e.from_token and l.to_block is null offset 0) s
     cross join lateral (
       select v.process_type, cardinality(v.output_token_ids) as made from traceability.event v
       where v.tenant_id = $1 and v.id = e.event_id offset 0) v
     limit $5`,
    [tx.tenantId, asOf, idList(tokenIds), kinds, limit],
  );
}

/** In kilograms, what the events of these edges made in all, and what of it their targets are. */
async function massesMade(tx: TenantTx, rows: readonly Row[]): Promise<Made> {
  if (rows.length === 0) return { events: new Map(), lots: new Map() };
  const events = await tx.sql<{ id: string; kg: number | null }>(
    `select d.id, (case when count(*) = count(l.kg) then sum(l.kg) end)::float8 as kg from unnest($2::uuid[]) as d(id)
     cross join lateral (
       select v.output_token_ids from traceability.event v where v.tenant_id = $1 and v.id = d.id offset 0) v
     cross join unnest(v.output_token_ids) as o(token_id)
     cross join lateral (${MASS_OF_LOT}) l group by d.id`,
    [tx.tenantId, [...new Set(rows.map(({ eventId }) => eventId))]],
  );
  const lots = await tx.sql<{ id: string; kg: number | null }>(
    `select o.token_id as id, l.kg::float8 as kg from unnest($2::bigint[]) as o(token_id) cross join lateral (${MASS_OF_LOT}) l`,
    [tx.tenantId, `{${[...new Set(rows.map(({ to }) => to))].join(',')}}`],
  );
  const byId = (found: typeof events): ReadonlyMap<string, number | null> => new Map(found.map(({ id, kg }) => [id, kg]));
  return { events: byId(events), lots: byId(lots) };
}

const MASS_OF_LOT = `
  select l.quantity * l.unit_kg as kg from traceability.lot l
  where l.tenant_id = $1 and l.token_id = o.token_id and l.to_block is null offset 0`;
