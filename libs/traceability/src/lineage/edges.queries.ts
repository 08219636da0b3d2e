import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { TenantTx } from '#persistence';
import type { AsOf } from '../contract/lineage.js';
import { type EdgeKind, type LineageEdge, type Weight, type DirectedEdge, passedOn } from './lineage-graph.js';
import { idList } from '../lots/columns.queries.js';
import { LIVE } from './walk.queries.js';

/** An edge as it is stored. */
export interface EdgeRow {
  readonly from: bigint;
  readonly to: bigint;
  readonly kind: EdgeKind;
  /** What the target took of the source, in millionths of the source's unit. */
  readonly amount: bigint | null;
}

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

/** More edges into the lots of one answer than this are not read: memory per request stays bounded. */
export const MAX_EDGES = 50_000;
/** The same for an answer that continues earlier ones: it needs their edges too. */
export const MAX_EDGES_CONTINUED = 200_000;

/** Lots that are read together with the edges between them. */
interface ReadLots {
  readonly tokenIds: readonly bigint[];
  readonly reading: Promise<ReadonlyMap<bigint, Weight>>;
}

/**
 * The edges between these lots, with their shares. What a source gave is compared with all that its target took, also from sources that
 * are not asked about. A sum with an unknown mass in it is unknown, unless it has one part only. An edge is made by the event that makes
 * its target, but for a split.
 * @returns null where there are more than `most` edges into these lots
 */
export async function edgesBetween(
  tx: TenantTx,
  { tokenIds, reading }: ReadLots,
  kinds: readonly EdgeKind[],
  asOf: AsOf,
  most: number,
): Promise<readonly LineageEdge[] | null> {
  const [rows, lots] = await Promise.all([edgesInto(tx, tokenIds, kinds, asOf, most), reading]);
  const edges = rows && (await edgesAmong(tx, rows, lots));
  return edges?.toSorted((a, b) => compare(a.to, b.to) || compare(a.from, b.from)) ?? null;
}

/** The same in any order, where the edges into the lots, and no others, were read. */
async function edgesAmong(tx: TenantTx, rows: readonly EdgeRow[], lots: ReadonlyMap<bigint, Weight>): Promise<readonly LineageEdge[]> {
  const taken = await takenBy(tx, rows, lots);
  const between = rows.filter(({ from, to }) => lots.has(from) && lots.has(to));
  const made = await massesMade(tx, between, lots);
  return between.map((row): LineageEdge => {
    const [source, target] = [lots.get(row.from)!, lots.get(row.to)!];
    const { sources, kg } = taken.get(row.to)!;
    return {
      from: row.from,
      to: row.to,
      kind: row.kind,
      eventId: row.kind === 'split' ? null : target.eventId,
      processType: row.kind === 'split' ? null : target.processType,
      quantity: row.amount,
      uom: source.uom,
      inputShare: inputShare(row, source),
      outputShare: sources === 1 ? 1 : part(times(row.amount, source.unitKg), kg),
      madeShare: madeShare(row, target, made),
    };
  });
}

/** What the edges between these lots pass on of their sources, and nothing else of them. @param rows the edges into the lots */
export async function edgeSharesAmong(
  tx: TenantTx,
  rows: readonly EdgeRow[],
  lots: ReadonlyMap<bigint, Weight>,
): Promise<readonly DirectedEdge[]> {
  const between = rows.filter(({ from, to }) => lots.has(from) && lots.has(to));
  const made = await massesMade(tx, between, lots);
  return between.map((row): DirectedEdge => {
    const passed = passedOn(inputShare(row, lots.get(row.from)!), madeShare(row, lots.get(row.to)!, made));
    return { near: row.from, far: row.to, passed };
  });
}

const inputShare = ({ amount }: EdgeRow, source: Weight): number | null =>
  source.whole === null ? 1 : part(amount === null ? null : Number(amount), source.whole);

const madeShare = ({ kind }: EdgeRow, target: Weight, made: ReadonlyMap<string, number | null>): number | null =>
  kind !== 'transformation' || target.made === 1 ? 1 : part(massOf(target), made.get(target.eventId) ?? null);

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

interface TakenMass {
  readonly sources: number;
  readonly kg: number | null;
}

const part = (of: number | null, whole: number | null): number | null => (of === null || whole === null || whole === 0 ? null : of / whole);

const times = (amount: bigint | number | null, unitKg: number | null): number | null =>
  amount === null || unitKg === null ? null : Number(amount) * unitKg;

/** In kilograms times a million. */
const massOf = ({ whole, unitKg }: Weight): number | null => times(whole, unitKg);

const sum = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a + b);

/** What each target took in all. */
async function takenBy(tx: TenantTx, rows: readonly EdgeRow[], lots: ReadonlyMap<bigint, Weight>): Promise<ReadonlyMap<bigint, TakenMass>> {
  const sources = new Map<bigint, number>();
  for (const { to } of rows) sources.set(to, (sources.get(to) ?? 0) + 1);
  // The mass of a source that is alone is compared with nothing.
  const outside = rows.filter(({ from, to }) => !lots.has(from) && sources.get(to)! > 1).map(({ from }) => from);
  const units = await unitsOf(tx, [...new Set(outside)]);
  const taken = new Map<bigint, TakenMass>();
  for (const { from, to, amount } of rows) {
    const kg = times(amount, lots.get(from)?.unitKg ?? units.get(from) ?? null);
    const before = taken.get(to);
    taken.set(to, { sources: sources.get(to)!, kg: before ? sum(before.kg, kg) : kg });
  }
  return taken;
}

async function unitsOf(tx: TenantTx, tokenIds: readonly bigint[]): Promise<ReadonlyMap<bigint, number | null>> {
  if (tokenIds.length === 0) return new Map();
  const rows = await tx.sql<{ token_id: string; kg: number | null }>(
    `select n.token_id, l.unit_kg::float8 as kg from unnest($2::bigint[]) as n(token_id) cross join lateral (
       select unit_kg from traceability.lot where tenant_id = $1 and token_id = n.token_id and to_block is null offset 0) l`,
    [tx.tenantId, idList(tokenIds)],
  );
  return new Map(rows.map((row) => [BigInt(row.token_id), row.kg]));
}

/** All edges into these lots; null where there are more than `most`. The laterals keep the planner to the indexes, even when it misjudges the number of lots. */
export async function edgesInto(
  tx: TenantTx,
  tokenIds: readonly bigint[],
  kinds: readonly EdgeKind[],
  asOf: AsOf,
  most: number,
): Promise<readonly EdgeRow[] | null> {
  const rows = await tx.sql<{ from: string; to: string; kind: EdgeKind; amount: string | null }>(
    `select e.from_token as "from", e.to_token as "to", e.kind,
       case when e.kind <> 'containment' then e.quantity else (
         select l.remaining from traceability.lot l
         where l.tenant_id = $1 and l.token_id = e.from_token and l.from_block <= e.block_number
         order by l.from_block desc, l.from_log desc limit 1) end as amount
     from unnest($3::bigint[]) as n(token_id)
     cross join lateral (
       select e.from_token, e.to_token, e.kind, e.quantity, e.block_number from traceability.edge e
       where e.tenant_id = $1 and e.to_token = n.token_id and e.kind = any($4::text[]) and ${LIVE}
       offset 0) e
     limit $5`,
    [tx.tenantId, asOf, idList(tokenIds), kinds, most + 1],
  );
  if (rows.length > most) return null;
  // Lets the next statement be sent before these rows are read.
  await yieldToEventLoop();
  return rows.map(({ from, to, kind, amount }) => ({
    from: BigInt(from),
    to: BigInt(to),
    kind,
    amount: amount === null ? null : BigInt(amount),
  }));
}

/** In kilograms times a million, what each event made in all that made more than one lot. */
async function massesMade(
  tx: TenantTx,
  between: readonly EdgeRow[],
  lots: ReadonlyMap<bigint, Weight>,
): Promise<ReadonlyMap<string, number | null>> {
  const events = new Set<string>();
  for (const { kind, to } of between) {
    const { made, eventId } = lots.get(to)!;
    if (kind === 'transformation' && made > 1) events.add(eventId);
  }
  if (events.size === 0) return new Map();
  const masses = massesOfAll(lots);
  const rows = await massesRead(
    tx,
    [...events].filter((event) => !masses.has(event)),
  );
  for (const { id, kg } of rows) masses.set(id, kg);
  return masses;
}

/** The same of the events whose lots are all among these. */
function massesOfAll(lots: ReadonlyMap<bigint, Weight>): Map<string, number | null> {
  const outputs = new Map<string, { kg: number | null; missing: number }>();
  for (const lot of lots.values()) {
    if (lot.made === 1) continue;
    const known = outputs.get(lot.eventId);
    outputs.set(lot.eventId, { kg: known ? sum(known.kg, massOf(lot)) : massOf(lot), missing: (known?.missing ?? lot.made) - 1 });
  }
  return new Map([...outputs].filter(([, { missing }]) => missing === 0).map(([event, { kg }]) => [event, kg]));
}

async function massesRead(
  tx: TenantTx,
  events: readonly string[],
): Promise<readonly { readonly id: string; readonly kg: number | null }[]> {
  if (events.length === 0) return [];
  return tx.sql(
    `select d.id, (case when count(*) = count(l.kg) then sum(l.kg) end)::float8 as kg from unnest($2::uuid[]) as d(id)
     cross join lateral (
       select v.output_token_ids from traceability.event v where v.tenant_id = $1 and v.id = d.id offset 0) v
     cross join unnest(v.output_token_ids) as o(token_id)
     cross join lateral (
       select l.quantity * l.unit_kg as kg from traceability.lot l
       where l.tenant_id = $1 and l.token_id = o.token_id and l.to_block is null offset 0) l
     group by d.id`,
    [tx.tenantId, events],
  );
}
