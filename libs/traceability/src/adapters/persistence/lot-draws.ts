import type { TenantTx } from '#persistence';
import type { AsOf } from '../../contract.js';
import type { Draw, EventMasses } from '../../domain/lot-use.js';
import { idList } from './id-lists.js';
import { LIVE } from './lineage-reach.js';
import type { TracedLot } from './traced-lots.js';

interface Row {
  readonly token: string;
  readonly event: string;
  readonly quantity: string | null;
}

/**
 * What events drew from these lots, by lot. Mostly they made others of the lots, with which their masses were read; only those of the
 * others are read here.
 */
export async function drawsFrom(tx: TenantTx, lots: readonly TracedLot[], asOf: AsOf): Promise<ReadonlyMap<bigint, readonly Draw[]>> {
  const rows = await tx.sql<Row>(
    `select e.from_token as token, e.event_id as event, e.quantity from unnest($3::bigint[]) as n(token_id)
     cross join lateral (
       select e.from_token, e.event_id, e.quantity from traceability.edge e
       where e.tenant_id = $1 and e.from_token = n.token_id and e.kind = 'transformation' and ${LIVE} offset 0) e`,
    [tx.tenantId, asOf, idList(lots.map(({ tokenId }) => tokenId))],
  );
  const masses = new Map(lots.map((lot) => [lot.mintEventId, lot.masses]));
  await addMasses(tx, masses, [...new Set(rows.flatMap(({ event }) => (masses.has(event) ? [] : [event])))]);
  const draws = new Map<bigint, Draw[]>();
  const seen = new Set<string>();
  for (const { token, event, quantity } of rows) {
    // An event has an edge to each lot that it made, and drew once for all of them.
    if (!isNew(seen, `${token} ${event}`)) continue;
    const draw = { quantity: quantity === null ? null : BigInt(quantity), masses: masses.get(event) };
    const known = draws.get(BigInt(token));
    if (known) known.push(draw);
    else draws.set(BigInt(token), [draw]);
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
