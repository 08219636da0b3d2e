import type { TenantTx } from '#persistence';
import { type AsOf, type Traceback, Tracebacks } from '../contract/lineage.js';
import { type Draw, type Masses, type MassUse, useOf } from './lineage-graph.js';
import { idList, unseen } from '../lots/columns.queries.js';
import type { EdgeRow } from './edges.queries.js';
import { LIVE } from './walk.queries.js';
import { type TracebackRow, type SharedFacts, tracebackLots } from './traceback-lots.queries.js';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { AssetType } from '../process-maps/process-map.js';
import { timeOfBlock } from '../lots/lot-state.queries.js';

/** What an event drew from a lot, as it is read. */
interface Row {
  readonly token: string;
  /** Null for a split, which uses all that it takes. */
  readonly event: string | null;
  readonly quantity: string | null;
}

/** What events drew from these lots, by lot. */
export async function drawsFrom(tx: TenantTx, lots: readonly TracebackRow[], asOf: AsOf): Promise<ReadonlyMap<bigint, readonly Draw[]>> {
  const rows = await tx.sql<Row>(
    `select e.from_token as token, e.event_id as event, e.quantity from unnest($3::bigint[]) as n(token_id)
     cross join lateral (
       select e.from_token, e.event_id, e.quantity from traceability.edge e
       where e.tenant_id = $1 and e.from_token = n.token_id and e.kind <> 'containment' and ${LIVE} offset 0) e`,
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
       where e.tenant_id = $1 and e.from_token = any(${unseen('$3')}) and e.kind <> 'containment' and ${LIVE}
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
  lots: ReadonlyMap<bigint, TracebackRow>,
  edges: readonly EdgeRow[],
  beyond: readonly Row[],
): Promise<ReadonlyMap<bigint, readonly Draw[]>> {
  const draws = new Draws();
  for (const { from, to, kind, amount } of edges) {
    // A split is a draw of its own; any other edge is made by the event that makes its target.
    if (kind === 'split') draws.add(from, null, { quantity: amount, masses: undefined });
    const made = kind === 'transformation' ? lots.get(to) : undefined;
    if (made) draws.add(from, made.shared.made === 1 ? null : made.mintEventId, { quantity: amount, masses: made.masses });
  }
  if (beyond.length > 0) await draws.addRead(tx, [...lots.values()], beyond);
  return draws.byLot;
}

class Draws {
  readonly byLot = new Map<bigint, Draw[]>();
  private readonly seen = new Set<string>();

  /** @param event null for a split, and for one that made one lot only: it has an edge to each lot that it made, and drew once for all of them */
  add(tokenId: bigint, event: string | null, draw: Draw): void {
    if (event !== null && !isNew(this.seen, `${tokenId} ${event}`)) return;
    const known = this.byLot.get(tokenId);
    if (known) known.push(draw);
    else this.byLot.set(tokenId, [draw]);
  }

  /** @param lots whose events' masses are known */
  async addRead(tx: TenantTx, lots: readonly TracebackRow[], rows: readonly Row[]): Promise<void> {
    const masses = new Map(lots.map((lot) => [lot.mintEventId, lot.masses]));
    await addMasses(tx, masses, [...new Set(rows.flatMap(({ event }) => (event === null || masses.has(event) ? [] : [event])))]);
    for (const { token, event, quantity } of rows)
      this.add(BigInt(token), event, {
        quantity: quantity === null ? null : BigInt(quantity),
        masses: event === null ? undefined : masses.get(event),
      });
  }
}

const isNew = (seen: Set<string>, key: string): boolean => seen.size < seen.add(key).size;

async function addMasses(tx: TenantTx, masses: Map<string, Masses>, events: readonly string[]): Promise<void> {
  if (events.length === 0) return;
  const rows = await tx.sql<Masses & { readonly id: string }>(
    `select v.id, v.input_kg::float8 as "inputKg", v.main_output_kg::float8 as "mainKg", v.co_product_kg::float8 as "coProductKg",
       v.declared_loss_kg::float8 as "declaredLossKg"
     from unnest($2::uuid[]) as n(id)
     cross join lateral (select * from traceability.event_v1 v where v.tenant_id = $1 and v.id = n.id offset 0) v`,
    [tx.tenantId, events],
  );
  for (const { id, ...read } of rows) masses.set(id, read);
}

@Injectable()
export class TracebackQueries extends Tracebacks {
  override async of(tx: TenantTx, tokenIds: readonly bigint[], asOf: AsOf): Promise<readonly Traceback[]> {
    const lots = await tracebackLots(tx, tokenIds, { block: asOf, time: asOf === null ? null : await timeOfBlock(tx, asOf) });
    const tracebacks = await tracebacksOf(tx, lots, await drawsFrom(tx, lots, asOf), await holdersOf(tx, tokenIds, asOf));
    return tracebacks.toSorted((a, b) => (a.tokenId < b.tokenId ? -1 : 1));
  }
}

/** The traceback of each lot that was read, in their order. */
export async function tracebacksOf(
  tx: TenantTx,
  lots: readonly TracebackRow[],
  draws: ReadonlyMap<bigint, readonly Draw[]>,
  holders: Holders,
): Promise<Traceback[]> {
  const assets = await assetTypesOf(tx, [
    ...new Set([...new Set(lots.map(({ shared }) => shared))].flatMap((shared) => mapOf(shared) ?? [])),
  ]);
  const units = new Map<SharedFacts, Traceback['recallUnit']>();
  return lots.map((lot): Traceback => {
    const { shared } = lot;
    if (!units.has(shared)) units.set(shared, assets.get(mapOf(shared) ?? '')?.[shared.assetType ?? '']?.recallUnit ?? null);
    const use = useOf({ quantity: lot.quantity, remaining: lot.remaining, unitKg: shared.unitKg }, draws.get(lot.tokenId) ?? NONE);
    return tracebackOf(lot, use, units.get(shared)!, holders);
  });
}

/** One literal: ten thousand times, spreading objects would cost more than naming their members. */
function tracebackOf(lot: TracebackRow, use: MassUse, recallUnit: Traceback['recallUnit'], holders: Holders): Traceback {
  const { shared } = lot;
  return {
    tokenId: lot.tokenId,
    tlc: lot.tlc,
    assetType: shared.assetType,
    assetTypeName: shared.assetTypeName,
    status: shared.status,
    retireReason: shared.retireReason,
    recalled: shared.recalled,
    usedUp: shared.usedUp,
    custodian: shared.custodian,
    pendingCustodian: shared.pendingCustodian,
    pastCustodians: holders.get(String(lot.tokenId))?.filter((custodian) => custodian !== shared.custodian) ?? NOBODY,
    isContainer: shared.depth > 0,
    remaining: lot.remaining,
    leftSupplyChain: lot.leftSupplyChain,
    uom: shared.uom,
    unitKg: shared.unitKg,
    recallUnit,
    country: shared.country,
    eventId: lot.mintEventId,
    processType: shared.processType,
    made: shared.made,
    whole: lot.quantity === null ? null : Number(lot.quantity),
    producedKg: lot.producedKg,
    usedKg: use.usedKg,
    lossKg: use.lossKg,
    gapKg: use.gapKg,
    partRetiredKg: use.partRetiredKg,
  };
}

const NONE: readonly Draw[] = [];
const NOBODY: readonly string[] = [];

const mapOf = ({ processMapName, processMapVersion }: SharedFacts): string | null =>
  processMapName === null || processMapVersion === null ? null : `${processMapName}@${processMapVersion}`;

/** Asset types by `name@version`: a document is read once, not once a lot. */
async function assetTypesOf(tx: TenantTx, maps: readonly string[]): Promise<ReadonlyMap<string, Readonly<Record<string, AssetType>>>> {
  if (maps.length === 0) return new Map();
  const rows = await tx.sql<{ key: string; assets: Readonly<Record<string, AssetType>> }>(
    `select name || '@' || version as key, document -> 'assetTypes' as assets from traceability.process_map
     where tenant_id = $1 and name || '@' || version = any($2::text[])`,
    [tx.tenantId, maps],
  );
  return new Map(rows.map(({ key, assets }) => [key, assets]));
}

/** Every custodian that a lot ever had, by token id; lots that never changed hands are left out, as most do not. */
type Holders = ReadonlyMap<string, readonly string[]>;

export async function holdersOf(tx: TenantTx, tokenIds: readonly bigint[], asOf: AsOf): Promise<Holders> {
  if (tokenIds.length === 0) return new Map();
  const then = asOf === null ? '' : 'and v.from_block <= $3';
  const rows = await tx.sql<{ token: string; custodians: readonly string[] }>(
    `with changed as (
       select v.token_id from traceability.lot v where v.tenant_id = $1 and v.token_id = any(${unseen('$2')}) ${then}
       group by v.token_id having min(v.custodian collate "C") <> max(v.custodian collate "C"))
     select c.token_id as token, v.custodians from changed c cross join lateral (
       select array_agg(distinct v.custodian) as custodians from traceability.lot v
       where v.tenant_id = $1 and v.token_id = c.token_id ${then}) v`,
    [tx.tenantId, idList(tokenIds), ...(asOf === null ? [] : [asOf])],
  );
  return new Map(rows.map(({ token, custodians }) => [token, custodians]));
}

/** How many landed events name each of these lots, voided ones included; a lot that none names is not there. One walk along an index. */
export async function eventCounts(tx: TenantTx, tokenIds: readonly bigint[], asOf: AsOf): Promise<ReadonlyMap<string, string>> {
  const [row] = await tx.sql<{ tokens: string | null; counts: string | null }>(
    `select string_agg(token_id::text, ',') as tokens, string_agg(events::text, ',') as counts from (
       select n.token_id, count(*) as events from traceability.event_lot n
       where n.tenant_id = $1 and n.token_id = any(${unseen('$2')}) and ($3::bigint is null or n.block_number <= $3)
       group by n.token_id) counted`,
    [tx.tenantId, idList(tokenIds), asOf],
  );
  // Lets the next statement be sent before these rows are read.
  await yieldToEventLoop();
  const counts = row!.counts?.split(',') ?? [];
  return new Map((row!.tokens?.split(',') ?? []).map((token, i) => [token, counts[i]!]));
}
