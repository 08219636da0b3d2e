import { atPointer, kilogramsPer, pointerNames } from '#kernel';
import type { TenantTx } from '#persistence';
import { type Declaration, declarationOf, expectedIndicators, footprintPointers } from './footprint-declared.js';
import type { ImpactSource } from './footprint.js';
import { type FlowOutput, type Member, type OrderKey, inOrder } from './footprint-flow.js';
import { ALL } from '../lots/lot.js';
import type { AssetType, Process } from '../process-maps/process-map.js';
import type { Line } from '../events/event-record.js';
import type { AsOf } from '../contract/lineage.js';
import { type TreeRow, MAX_EVENTS, landedEvents, type FootprintTree, insideOf } from './footprint-tree.queries.js';
import { idList } from '../lots/columns.queries.js';

interface Words {
  readonly eventTime: Date | null;
  readonly country: string | null;
  /** By pointer: those of `basePointers`. */
  readonly stated: ReadonlyMap<string, unknown>;
}

interface MapPart {
  readonly processes: Readonly<Record<string, Process>>;
  readonly assetTypes: Readonly<Record<string, AssetType>>;
}

/** Every event that counts for a tree, in the order in which they count; null when there are more than `MAX_EVENTS`. */
export async function eventsOf(tx: TenantTx, tree: FootprintTree, asOf: AsOf): Promise<readonly ImpactSource[] | null> {
  const rows = await landedEvents(tx, [...tree.lots, ...tree.containers], asOf);
  if (rows.length > MAX_EVENTS) return null;
  const maps = await mapParts(tx, rows);
  const processOf = (row: TreeRow): Process | null => partOf(maps, row)?.processes[row.processType ?? ''] ?? null;
  const bases = basePointers(rows.map(processOf));
  const words = await wordsOf(tx, rows, bases);
  const statedAt = readerBelow(bases);
  const membersOf = await packedMembers(tx, tree, maps, asOf);
  const events = rows.map((row) => {
    const said = words.get(row.wordsOf)!;
    const declaration = declarationOf(processOf(row), (pointer) => statedAt(said.stated, pointer));
    const event = eventOf(row, { process: processOf(row), assetTypes: partOf(maps, row)?.assetTypes ?? {}, declaration, membersOf });
    return { ...placed(row, said.eventTime), event: { ...event, country: said.country } };
  });
  return inOrder([...events, ...(await dropsWithoutEvent(tx, tree, rows, asOf))]).map(({ event }) => event);
}

const placed = (row: TreeRow, eventTime: Date | null): OrderKey => ({
  eventTime,
  landedAt: row.landedAt,
  block: row.block,
  logIndex: row.logIndex,
  reads: row.inputs,
  makes: row.made,
  packs: row.containmentMode === 1,
});

async function mapParts(tx: TenantTx, rows: readonly Pick<TreeRow, 'map' | 'version'>[]): Promise<ReadonlyMap<string, MapPart>> {
  const wanted = [...new Map(rows.filter((row) => row.map !== null).map((row) => [`${row.map}@${row.version}`, row])).values()];
  if (wanted.length === 0) return new Map();
  const found = await tx.sql<MapPart & { readonly key: string }>(
    `select name || '@' || version as key, document -> 'assetTypes' as "assetTypes", (
       select jsonb_object_agg(p.key, jsonb_build_object('fields', p.value -> 'fields', 'footprint', p.value -> 'footprint'))
       from jsonb_each(document -> 'processes') p) as processes
     from traceability.process_map
     where tenant_id = $1 and (name, version) in (select * from unnest($2::text[], $3::text[]))`,
    [tx.tenantId, wanted.map(({ map }) => map), wanted.map(({ version }) => version)],
  );
  return new Map(found.map((one) => [one.key, one]));
}

const partOf = (maps: ReadonlyMap<string, MapPart>, row: Pick<TreeRow, 'map' | 'version'>): MapPart | undefined =>
  maps.get(`${row.map}@${row.version}`);

/** The pointers that all the others are below, so that nothing is read twice and the rest of the metadata not at all. */
function basePointers(processes: readonly (Process | null)[]): string[] {
  const all = [...new Set([...new Set(processes)].flatMap((process) => Object.values(footprintPointers(process))))];
  return all.filter((pointer) => !all.some((other) => other !== pointer && pointer.startsWith(`${other}/`)));
}

/** Reads pointers below these bases; the base of each is found once, not once an event. */
function readerBelow(bases: readonly string[]): (stated: Words['stated'], pointer: string) => unknown {
  const places = new Map<string, { readonly base: string; readonly rest: string }>();
  const placeOf = (pointer: string): { readonly base: string; readonly rest: string } => {
    const base = bases.find((one) => pointer === one || pointer.startsWith(`${one}/`)) ?? pointer;
    return { base, rest: pointer.slice(base.length) };
  };
  return (stated, pointer) => {
    const place = places.get(pointer) ?? placeOf(pointer);
    places.set(pointer, place);
    const value = stated.get(place.base);
    return place.rest === '' || value === undefined || value === null ? value : atPointer(value, place.rest);
  };
}

async function wordsOf(tx: TenantTx, rows: readonly TreeRow[], pointers: readonly string[]): Promise<ReadonlyMap<string, Words>> {
  // A constructor and not an aggregate: it costs a tenth of it, and there are as many pointers as maps put footprints in different places.
  const stated = pointers.map((_, i) => `e.metadata #> $${i + 3}::text[]`);
  const found = await tx.sql<Omit<Words, 'stated'> & { readonly id: string; readonly stated: readonly unknown[] }>(
    `select e.id, e.event_time as "eventTime", e.country, to_json(e.stated) as stated
     from unnest($2::uuid[]) as n(id) cross join lateral (
       select e.id, e.event_time, e.location ->> 'country' as country, array[${stated.join(', ')}]::jsonb[] as stated
       from traceability.event e where e.tenant_id = $1 and e.id = n.id offset 0) e`,
    [tx.tenantId, [...new Set(rows.map((row) => row.wordsOf))], ...pointers.map(pointerNames)],
  );
  return new Map(
    found.map((one) => [one.id, { ...one, stated: new Map(pointers.map((pointer, i) => [pointer, one.stated[i] ?? undefined])) }]),
  );
}

function eventOf(
  row: TreeRow,
  known: {
    readonly process: Process | null;
    readonly assetTypes: MapPart['assetTypes'];
    readonly declaration: Declaration;
    readonly membersOf: ReadonlyMap<bigint, readonly Member[]>;
  },
): ImpactSource {
  const { inputs, consumed, made } = row;
  const [container] = made;
  return {
    id: row.id,
    processType: row.processType,
    map: row.map,
    country: null,
    inputs: inputs.map((tokenId, i) => ({ tokenId, drawn: drawnOf(consumed[i]) })),
    outputs: made.map((tokenId, i) => outputOf(tokenId, row.outputs[i], known)),
    packs: row.containmentMode === 1 && container !== undefined ? { container, members: known.membersOf.get(container) ?? [] } : null,
    breaks: row.containmentMode === 2 ? inputs[0]! : null,
    cradle: known.declaration.cradle,
    retires: false,
    declaration: known.declaration,
    expected: expectedIndicators(known.process, row.kind),
  };
}

const drawnOf = (consumed: string | undefined): number | null =>
  consumed === undefined ? 0 : BigInt(consumed) === ALL ? null : Number(consumed);

function outputOf(
  tokenId: bigint,
  line: Line | undefined,
  { process, assetTypes }: { readonly process: Process | null; readonly assetTypes: MapPart['assetTypes'] },
): FlowOutput {
  const quantity = line?.quantity === null || line?.quantity === undefined ? null : Number(line.quantity);
  return {
    tokenId,
    quantity: quantity === null ? null : quantity * 1e6,
    massKg: massOf(quantity, line?.uom ?? null, assetTypes[line?.assetType ?? '']),
    factor: process?.footprint?.allocation?.factors?.[line?.assetType ?? ''] ?? 1,
  };
}

/** Kilograms, or null where neither the unit nor the asset type says. */
export function massOf(quantity: number | null, uom: string | null, asset: { readonly massPerUnitKg?: number } | undefined): number | null {
  const each = uom === null ? null : kilogramsPer(uom, asset?.massPerUnitKg);
  return quantity === null || each === null ? null : each.times(quantity).toNumber();
}

/** What went into each container of the tree; lots outside it with the mass that they had when they were packed. */
async function packedMembers(
  tx: TenantTx,
  tree: FootprintTree,
  maps: ReadonlyMap<string, MapPart>,
  asOf: AsOf,
): Promise<ReadonlyMap<bigint, readonly Member[]>> {
  if (tree.containers.size === 0) return new Map();
  const { goods, packed } = await insideOf(tx, tree.containers, asOf);
  const outside = [...goods].filter((tokenId) => !tree.lots.has(tokenId));
  const masses = await massesWhenPacked(tx, outside, maps);
  return new Map(
    [...packed].map(([container, inside]) => [container, inside.map((tokenId) => ({ tokenId, massKg: masses.get(tokenId) ?? null }))]),
  );
}

/** A lot in a container neither gains nor loses: its mass is that of the last version that lay in one. */
async function massesWhenPacked(
  tx: TenantTx,
  tokenIds: readonly bigint[],
  maps: ReadonlyMap<string, MapPart>,
): Promise<ReadonlyMap<bigint, number | null>> {
  if (tokenIds.length === 0) return new Map();
  const found = await tx.sql<{
    token_id: string;
    remaining: string | null;
    uom: string | null;
    asset_type: string | null;
    map: string | null;
    version: string | null;
  }>(
    `select distinct on (l.token_id) l.token_id, l.remaining, l.uom, l.asset_type, l.process_map_name as map, l.process_map_version as version
     from traceability.lot l
     where l.tenant_id = $1 and l.token_id = any($2::bigint[]) and l.container_token_id is not null
     order by l.token_id, l.from_block desc, l.from_log desc`,
    [tx.tenantId, tokenIds],
  );
  const missing = found.filter((row) => row.map !== null && !maps.has(`${row.map}@${row.version}`));
  const more = await mapParts(tx, missing);
  return new Map(
    found.map((row) => {
      const quantity = row.remaining === null ? null : Number(row.remaining) / 1e6;
      const assets = (partOf(maps, row) ?? partOf(more, row))?.assetTypes;
      return [BigInt(row.token_id), massOf(quantity, row.uom, assets?.[row.asset_type ?? ''])];
    }),
  );
}

type PseudoEvent = OrderKey & { readonly event: ImpactSource };

interface Drop {
  readonly token_id: string;
  readonly block: number;
  readonly log: number;
  readonly gone: string;
  /** The lot that has it now; null where it was retired. */
  readonly part: string | null;
  readonly part_kg: number | null;
}

/**
 * Parts of a lot that left it without an event that drew them: a split takes its share of the impact along, a retirement keeps it.
 */
async function dropsWithoutEvent(tx: TenantTx, tree: FootprintTree, rows: readonly TreeRow[], asOf: AsOf): Promise<PseudoEvent[]> {
  const drops = await tx.sql<Drop>(
    `with known as (select * from unnest($4::bigint[], $5::integer[]) as k(block, log)), dropped as materialized (
       select v.* from unnest($2::bigint[]) as n(token_id) cross join lateral (
         select l.token_id, l.from_block, l.from_log, l.remaining,
           lag(l.remaining) over (order by l.from_block, l.from_log) as before
         from traceability.lot l where l.tenant_id = $1 and l.token_id = n.token_id and ($3::bigint is null or l.from_block <= $3)) v
       where v.remaining < v.before and (v.from_block, v.from_log) not in (select * from known)
     )
     select v.token_id, v.from_block::integer as block, v.from_log as log, v.before - v.remaining as gone,
       p.token_id as part, (p.quantity / 1000000 * p.unit_kg)::float8 as part_kg
     from dropped v
     left join lateral (
       select l.token_id, l.quantity, l.unit_kg from traceability.edge s
       join traceability.lot l on l.tenant_id = $1 and l.token_id = s.to_token and l.from_block = v.from_block and l.from_log = v.from_log
       where s.tenant_id = $1 and s.from_token = v.token_id and s.kind = 'split' offset 0) p on true
     where not exists (
       select from traceability.event_lot n join traceability.event e on e.tenant_id = n.tenant_id and e.id = n.event_id
       where n.tenant_id = $1 and n.token_id = v.token_id and e.block_number = v.from_block and e.log_index = v.from_log)`,
    [tx.tenantId, idList(tree.lots), asOf, rows.map(({ block }) => block), rows.map(({ logIndex }) => logIndex)],
  );
  return drops.map(dropOf);
}

function dropOf(drop: Drop): PseudoEvent {
  const tokenId = BigInt(drop.token_id);
  const part = drop.part === null ? null : BigInt(drop.part);
  return {
    eventTime: null,
    landedAt: null,
    block: drop.block,
    logIndex: drop.log,
    reads: [tokenId],
    makes: part === null ? [] : [part],
    packs: false,
    event: {
      ...NOTHING,
      id: `${drop.block}:${drop.log}:${drop.token_id}`,
      inputs: [{ tokenId, drawn: Number(drop.gone) }],
      outputs: part === null ? [] : [{ tokenId: part, quantity: Number(drop.gone), massKg: drop.part_kg, factor: 1 }],
      retires: part === null,
    },
  };
}

const NOTHING: ImpactSource = {
  id: '',
  processType: null,
  map: null,
  country: null,
  inputs: [],
  outputs: [],
  packs: null,
  breaks: null,
  cradle: false,
  retires: false,
  declaration: { impacts: {}, cradle: false, gwp: null, standard: null },
  expected: [],
};
