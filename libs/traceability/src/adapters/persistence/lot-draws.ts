import type { TenantTx } from '#persistence';
import type { AsOf } from '../../contract.js';
import type { Draw, EventMasses } from '../../domain/lot-use.js';
import { idList, unseen } from './id-lists.js';
import type { EdgeRow } from './lineage-edges.js';
import { LIVE } from './lineage-reach.js';
import type { TracedLot } from './traced-lots.js';

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
  return drawsBy(tx, lots, rows.map(readDraw));
}

/**
 * The same, where the edges into some of them were read: most events that drew from lots made others of them, and only what the others
 * drew is asked for.
 * @param entered the lots into which `edges` has all edges
 */
export async function drawsAmong(
  tx: TenantTx,
  lots: readonly TracedLot[],
  entered: ReadonlySet<bigint>,
  edges: readonly EdgeRow[],
  asOf: AsOf,
): Promise<ReadonlyMap<bigint, readonly Draw[]>> {
  const rows = await tx.sql<Row>(
    `with beyond as (
       select e.from_token, e.to_token from traceability.edge e
       where e.tenant_id = $1 and e.from_token = any(${unseen('$3')}) and e.kind = 'transformation' and ${LIVE}
         and e.to_token not in (select * from unnest($4::bigint[])))
     select b.from_token as token, e.event_id as event, e.quantity from beyond b
     cross join lateral (
       select e.event_id, e.quantity from traceability.edge e
       where e.tenant_id = $1 and e.from_token = b.from_token and e.to_token = b.to_token offset 0) e`,
    [tx.tenantId, asOf, idList(lots.map(({ tokenId }) => tokenId)), idList(entered)],
  );
  // An edge is made by the event that makes its target.
  const makers = new Map<bigint, TracedLot>();
  for (const lot of lots) if (entered.has(lot.tokenId)) makers.set(lot.tokenId, lot);
  const drawn = rows.map(readDraw);
  for (const { from, to, kind, amount } of edges) {
    const made = kind === 'transformation' ? makers.get(to) : undefined;
    if (made) drawn.push({ tokenId: from, event: made.mintEventId, quantity: amount, alone: made.alike.made === 1 });
  }
  return drawsBy(tx, lots, drawn);
}

interface Drawn {
  readonly tokenId: bigint;
  readonly event: string;
  readonly quantity: bigint | null;
  /** Whether the event made one lot only. */
  readonly alone?: boolean;
}

const readDraw = ({ token, event, quantity }: Row): Drawn => ({
  tokenId: BigInt(token),
  event,
  quantity: quantity === null ? null : BigInt(quantity),
});

async function drawsBy(tx: TenantTx, lots: readonly TracedLot[], drawn: readonly Drawn[]): Promise<ReadonlyMap<bigint, readonly Draw[]>> {
  const masses = new Map(lots.map((lot) => [lot.mintEventId, lot.masses]));
  await addMasses(tx, masses, [...new Set(drawn.flatMap(({ event }) => (masses.has(event) ? [] : [event])))]);
  const draws = new Map<bigint, Draw[]>();
  const seen = new Set<string>();
  for (const { tokenId, event, quantity, alone } of drawn) {
    // An event has an edge to each lot that it made, and drew once for all of them.
    if (!(alone || isNew(seen, `${tokenId} ${event}`))) continue;
    const draw = { quantity, masses: masses.get(event) };
    const known = draws.get(tokenId);
    if (known) known.push(draw);
    else draws.set(tokenId, [draw]);
  }
  return draws;
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
