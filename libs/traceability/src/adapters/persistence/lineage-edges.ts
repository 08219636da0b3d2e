import type { TenantTx } from '#persistence';
import type { AsOf } from '../../contract.js';
import type { EdgeKind } from '../../domain/edge.js';
import type { LineageEdge } from '../../domain/lineage-graph.js';
import { idList } from './id-lists.js';

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

/**
 * The edges between these lots, with their shares. What a source gave is compared with all that its target took, also from sources that
 * are not asked about. A sum with an unknown mass in it is unknown, unless it has one part only.
 */
export async function edgesBetween(
  tx: TenantTx,
  tokenIds: readonly bigint[],
  kinds: readonly EdgeKind[],
  asOf: AsOf,
): Promise<readonly LineageEdge[]> {
  const rows = await edgesInto(tx, tokenIds, kinds, asOf);
  const asked = new Set(tokenIds.map(String));
  const taken = takenBy(rows);
  const made = await massesMade(
    tx,
    rows.filter((row) => row.made > 1 && row.kind === 'transformation' && asked.has(row.from)),
  );
  return rows
    .filter((row) => asked.has(row.from))
    .map((row) => ({
      from: BigInt(row.from),
      to: BigInt(row.to),
      kind: row.kind,
      eventId: row.eventId,
      processType: row.processType,
      quantity: row.amount === null ? null : BigInt(row.amount),
      uom: row.uom,
      inputShare: row.whole === null ? 1 : part(row.amount === null ? null : Number(row.amount), Number(row.whole)),
      outputShare: taken.get(row.to)!.sources === 1 ? 1 : part(massOf(row), taken.get(row.to)!.kg),
      madeShare:
        row.kind === 'containment' || row.made === 1 ? 1 : part(made.lots.get(row.to) ?? null, made.events.get(row.eventId) ?? null),
    }));
}

const part = (of: number | null, whole: number | null): number | null => (of === null || whole === null || whole === 0 ? null : of / whole);

const massOf = ({ amount, unitKg }: Row): number | null => (amount === null || unitKg === null ? null : Number(amount) * unitKg);

/** What each target took in all. */
function takenBy(rows: readonly Row[]): ReadonlyMap<string, { sources: number; kg: number | null }> {
  const taken = new Map<string, { sources: number; kg: number | null }>();
  for (const row of rows) {
    const all = taken.get(row.to);
    if (all) Object.assign(all, { sources: all.sources + 1, kg: sum(all.kg, massOf(row)) });
    else taken.set(row.to, { sources: 1, kg: massOf(row) });
  }
  return taken;
}

const sum = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a + b);

/** All edges into these lots. The laterals keep the planner to the indexes, whatever it believes about the number of lots. */
function edgesInto(tx: TenantTx, tokenIds: readonly bigint[], kinds: readonly EdgeKind[], asOf: AsOf): Promise<Row[]> {
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
       where e.tenant_id = $1 and e.to_token = n.token_id and e.kind = any($4::text[])
         and (e.void_block is null or e.void_block > $2::bigint) and ($2::bigint is null or e.block_number <= $2::bigint)
       offset 0) e
     cross join lateral (
       select l.quantity, l.uom, l.unit_kg from traceability.lot l
       where l.tenant_id = $1 and l.token_id = e.from_token and l.to_block is null offset 0) s
     cross join lateral (
       select v.process_type, cardinality(v.output_token_ids) as made from traceability.event v
       where v.tenant_id = $1 and v.id = e.event_id offset 0) v
     order by e.to_token, e.from_token`,
    [tx.tenantId, asOf, idList(tokenIds), kinds],
  );
}

/** In kilograms, what these events made in all and each lot that they made. */
async function massesMade(
  tx: TenantTx,
  rows: readonly Row[],
): Promise<{ readonly events: ReadonlyMap<string, number | null>; readonly lots: ReadonlyMap<string, number | null> }> {
  const events = new Map<string, number | null>();
  const lots = new Map<string, number | null>();
  if (rows.length === 0) return { events, lots };
  const found = await tx.sql<{ event: string; lot: string; kg: number | null }>(
    `select d.id as event, o.token_id as lot, (l.quantity * l.unit_kg)::float8 as kg from unnest($2::uuid[]) as d(id)
     cross join lateral (
       select v.output_token_ids from traceability.event v where v.tenant_id = $1 and v.id = d.id offset 0) v
     cross join unnest(v.output_token_ids) as o(token_id)
     cross join lateral (
       select l.quantity, l.unit_kg from traceability.lot l where l.tenant_id = $1 and l.token_id = o.token_id and l.to_block is null
       offset 0) l`,
    [tx.tenantId, [...new Set(rows.map(({ eventId }) => eventId))]],
  );
  for (const { event, lot, kg } of found) {
    lots.set(lot, kg);
    events.set(event, events.has(event) ? sum(events.get(event)!, kg) : kg);
  }
  return { events, lots };
}
