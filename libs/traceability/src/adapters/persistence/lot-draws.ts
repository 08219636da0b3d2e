import type { TenantTx } from '#persistence';
import type { AsOf } from '../../contract.js';
import type { Draw, EventMasses } from '../../domain/lot-use.js';
import { idList, unseen } from './id-lists.js';
import type { EdgeRow } from './lineage-edges.js';
import { LIVE } from './lineage-reach.js';
import type { TracedLot } from './traced-lots.js';

/** What an event drew from a lot, as it is read. */
interface Row {
  readonly token: string;
  readonly event: string;
  readonly quantity: string | null;
}

/** What events drew from these lots, by lot. */
export async function drawsFrom(tx: TenantTx, lots: readonly TracedLot[], asOf: AsOf): Promise<ReadonlyMap<bigint, readonly Draw[]>> {
  const rows = await tx.sql<Row>(
    `select e.from_token as token, e.event_id as event, e.quantity from unnest($3::bigint[]) as n(token_id)
     cross join lateral (
       select e.from_token, e.event_id, e.quantity from traceability.edge e
       where e.tenant_id = $1 and e.from_token = n.token_id and e.kind = 'transformation' and ${LIVE} offset 0) e`,
    [tx.tenantId, asOf, idList(lots.map(({ tokenId }) => tokenId))],
  );
  const draws = new Draws();
  await draws.addRead(tx, lots, rows);
  return draws.byLot;
}

/** What was drawn from these lots for others than `entered`; an event that made some of both is there too. */
export function drawnBeyond(tx: TenantTx, tokenIds: readonly bigint[], entered: readonly bigint[], asOf: AsOf): Promise<readonly Row[]> {
  return tx.sql<Row>(
    `with beyond as (
       select e.from_token, e.to_token from traceability.edge e
       where e.tenant_id = $1 and e.from_token = any(${unseen('$3')}) and e.kind = 'transformation' and ${LIVE}
         and e.to_token not in (select * from unnest($4::bigint[])))
     select b.from_token as token, e.event_id as event, e.quantity from beyond b
     cross join lateral (
       select e.event_id, e.quantity from traceability.edge e
       where e.tenant_id = $1 and e.from_token = b.from_token and e.to_token = b.to_token offset 0) e`,
    [tx.tenantId, asOf, idList(tokenIds), idList(entered)],
  );
}

/**
 * The same as `drawsFrom`, where the edges into some of the lots were read: most events that drew from lots made others of them, and only
 * what the others drew is asked for.
 * @param lots by token id
 * @param edges all that lead into some of them
 * @param beyond of `drawnBeyond`, whose `entered` are the lots among these that `edges` lead into
 */
export async function drawsAmong(
  tx: TenantTx,
  lots: ReadonlyMap<bigint, TracedLot>,
  edges: readonly EdgeRow[],
  beyond: readonly Row[],
): Promise<ReadonlyMap<bigint, readonly Draw[]>> {
  const draws = new Draws();
  for (const { from, to, kind, amount } of edges) {
    // An edge is made by the event that makes its target.
    const made = kind === 'transformation' ? lots.get(to) : undefined;
    if (made) draws.add(from, made.alike.made === 1 ? null : made.mintEventId, { quantity: amount, masses: made.masses });
  }
  if (beyond.length > 0) await draws.addRead(tx, [...lots.values()], beyond);
  return draws.byLot;
}

class Draws {
  readonly byLot = new Map<bigint, Draw[]>();
  private readonly seen = new Set<string>();

  /** @param event null for one that made one lot only: it has an edge to each lot that it made, and drew once for all of them */
  add(tokenId: bigint, event: string | null, draw: Draw): void {
    if (event !== null && !isNew(this.seen, `${tokenId} ${event}`)) return;
    const known = this.byLot.get(tokenId);
    if (known) known.push(draw);
    else this.byLot.set(tokenId, [draw]);
  }

  /** @param lots whose events' masses are known */
  async addRead(tx: TenantTx, lots: readonly TracedLot[], rows: readonly Row[]): Promise<void> {
    const masses = new Map(lots.map((lot) => [lot.mintEventId, lot.masses]));
    await addMasses(tx, masses, [...new Set(rows.flatMap(({ event }) => (masses.has(event) ? [] : [event])))]);
    for (const { token, event, quantity } of rows)
      this.add(BigInt(token), event, { quantity: quantity === null ? null : BigInt(quantity), masses: masses.get(event) });
  }
}

const isNew = (seen: Set<string>, key: string): boolean => seen.size < seen.add(key).size;

async function addMasses(tx: TenantTx, masses: Map<string, EventMasses>, events: readonly string[]): Promise<void> {
  if (events.length === 0) return;
  const rows = await tx.sql<EventMasses & { readonly id: string }>(
    `select v.id, v.input_kg::float8 as "inputKg", v.main_output_kg::float8 as "mainKg", v.co_product_kg::float8 as "coProductKg",
       v.declared_loss_kg::float8 as "declaredLossKg"
     from unnest($2::uuid[]) as n(id)
     cross join lateral (select * from traceability.event v where v.tenant_id = $1 and v.id = n.id offset 0) v`,
    [tx.tenantId, events],
  );
  for (const { id, ...read } of rows) masses.set(id, read);
}
