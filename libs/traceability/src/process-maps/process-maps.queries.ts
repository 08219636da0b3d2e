import { Injectable } from '@nestjs/common';
import { heldBytes, type PageRequest, SharedCache, type TenantScope } from '#kernel';
import type { TenantTx, UnitOfWork } from '#persistence';
import { type MapHead, ProcessMap, type PublishedProcess, processIdOf, processIn, type MapWords } from './process-map.js';
import type { EventAccount } from '../contract/events.js';

const MiB = 1024 * 1024;
/** Of documents in memory: 300 usual ones, and of a tenant 70 usual or 4 of the largest ones. */
const REMEMBERED = { whole: 64 * MiB, share: 16 * MiB };
/** Keys of processes. */
const OWNERS = { whole: 100_000, share: 1_000 };
/** Highest version first; a version is three numbers, and clocks may disagree about what came later. */
const HIGHEST = `string_to_array(version, '.')::numeric[] desc`;

/** Name and newest version of each map of the tenant $1. */
const NEWEST = `select distinct on (name) name, version from traceability.process_map where tenant_id = $1 order by name, ${HIGHEST}`;

/** Published process maps of a tenant. Versions never change and are never removed, so a document that an event needed stays in memory. */
@Injectable()
export class ProcessMapQueries {
  private readonly remembered = new SharedCache<ProcessMap>(REMEMBERED);
  /** By key of a process: the version of the map that owned it when it was last read. */
  private readonly owners = new SharedCache<{ readonly name: string; readonly version: string }>(OWNERS);

  /** The process in the newest version of the map that owns its key; null for an unknown, differently written or dropped one. */
  async process(tx: TenantTx, processType: string): Promise<PublishedProcess | null> {
    return (await this.processes(tx, [processType])).get(processType) ?? null;
  }

  /** The same for many keys at once, by key; keys without a process are left out. */
  async processes(tx: TenantTx, processTypes: readonly string[]): Promise<ReadonlyMap<string, PublishedProcess>> {
    // PostgreSQL has no U+0000, and no key has one.
    const folded = processTypes.filter((key) => !key.includes('\u0000')).map((key) => key.toLowerCase());
    const owned = await this.owned(tx, 'p.folded', folded);
    const found = new Map(owned.filter(({ processType }) => processTypes.includes(processType)).map((one) => [one.processType, one]));
    for (const [key, { map }] of found) this.owners.set(tx.tenantId, key, { name: map.name, version: map.version }, 1);
    return found;
  }

  /** The same as they were last read here, without asking; null where one is not in memory. They may have changed meanwhile. */
  lastRead({ tenantId }: TenantScope, processTypes: readonly string[]): ReadonlyMap<string, PublishedProcess> | null {
    const found = new Map<string, PublishedProcess>();
    for (const key of processTypes) {
      const owner = this.owners.get(tenantId, key);
      const map = owner && this.remembered.get(tenantId, `${owner.name} ${owner.version}`);
      const process = map && processIn(map, key);
      if (!process) return null;
      found.set(key, process);
    }
    return found;
  }

  /** The process behind a bytes32 process id. */
  async processById(tx: TenantTx, processId: string): Promise<PublishedProcess | null> {
    return (await this.owned(tx, 'p.process_id', [processId.toLowerCase()]))[0] ?? null;
  }

  private async owned(tx: TenantTx, column: 'p.folded' | 'p.process_id', values: readonly string[]): Promise<PublishedProcess[]> {
    if (values.length === 0) return [];
    const found = await tx.sql<{ process_type: string; name: string; version: string }>(
      `select p.process_type, m.name, m.version from traceability.process_type p
       join lateral (select name, version from traceability.process_map
                     where tenant_id = p.tenant_id and name = p.map_name order by ${HIGHEST} limit 1) m on true
       where p.tenant_id = $1 and ${column} = any($2::text[])`,
      [tx.tenantId, values],
    );
    const processes: PublishedProcess[] = [];
    for (const { process_type, name, version } of found) {
      // Read once, then remembered: a question a map, not a process.
      const map = await this.version(tx, name, version);
      const published = map && processIn(map, process_type);
      if (published) processes.push(published);
    }
    return processes;
  }

  /** Every key of the tenant with the map that owns it. */
  async processTypes(tx: TenantTx) {
    return tx.sql<{ processType: string; mapName: string }>(
      'select process_type as "processType", map_name as "mapName" from traceability.process_type where tenant_id = $1 order by process_type',
      [tx.tenantId],
    );
  }

  async version(tx: TenantTx, name: string, version: string): Promise<ProcessMap | null> {
    const key = `${name} ${version}`;
    const known = this.remembered.get(tx.tenantId, key);
    if (known) return known;
    const rows = 'traceability.process_map where tenant_id = $1 and name = $2 and version = $3';
    const [map] = await tx.find(ProcessMap, rows, [tx.tenantId, name, version]);
    if (map) this.remembered.set(tx.tenantId, key, map, heldBytes(map.document));
    return map ?? null;
  }

  async newest(tx: TenantTx, name: string): Promise<ProcessMap | null> {
    const [newest] = await tx.sql<{ version: string }>(
      `select version from traceability.process_map where tenant_id = $1 and name = $2 order by ${HIGHEST} limit 1`,
      [tx.tenantId, name],
    );
    return newest ? this.version(tx, name, newest.version) : null;
  }

  /** All versions, newest first. */
  versions(tx: TenantTx, name?: string) {
    return tx.sql<Omit<ProcessMap, 'document'>>(
      `select tenant_id as "tenantId", name, version, cid, published_at as "publishedAt", published_by as "publishedBy"
       from traceability.process_map where tenant_id = $1 and ($2::text is null or name = $2) order by ${HIGHEST}`,
      [tx.tenantId, name ?? null],
    );
  }

  /** Newest version of each map, by name: only what the list shows, since documents are large. */
  async page(tx: TenantTx, { page, limit }: PageRequest): Promise<{ readonly maps: readonly MapHead[]; readonly total: number }> {
    const counting = tx.sql<{ total: number }>(
      'select count(distinct name)::int as total from traceability.process_map where tenant_id = $1',
      [tx.tenantId],
    );
    const listing = tx.sql<MapHead>(
      `select m.name, m.document ->> 'name' as title, m.version, m.cid, m.published_at as "publishedAt", m.published_by as "publishedBy", (
         select jsonb_agg(jsonb_build_object('processType', p.key, 'label', p.value -> 'label', 'kind', p.value -> 'kind') order by p.n)
         from jsonb_each(m.document -> 'processes') with ordinality p(key, value, n)) as processes
       from (${NEWEST} limit $2 offset $3) newest join traceability.process_map m on m.tenant_id = $1 and m.name = newest.name and m.version = newest.version
       order by m.name`,
      [tx.tenantId, limit, (page - 1) * limit],
    );
    const [[counted], maps] = await Promise.all([counting, listing]);
    return { maps, total: counted!.total };
  }

  /** One publication of a tenant at a time continues from here, until the end of the transaction. */
  async lock(tx: TenantTx): Promise<void> {
    await tx.sql('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`process_map ${tx.tenantId}`]);
  }

  async publish(tx: TenantTx, map: ProcessMap): Promise<void> {
    await tx.repository(ProcessMap).insert(map as never);
    const processTypes = Object.keys(map.document.processes);
    await tx.sql(
      `insert into traceability.process_type (tenant_id, folded, process_type, process_id, map_name)
       select $1, lower(t.process_type), t.process_type, t.process_id, $2 from unnest($3::text[], $4::text[]) as t(process_type, process_id)
       on conflict (tenant_id, folded) do nothing`,
      [tx.tenantId, map.name, processTypes, processTypes.map(processIdOf)],
    );
  }
}

export async function loadMapWords(
  tx: TenantTx,
  wanted: readonly { readonly name: string; readonly version: string }[] | 'all',
): Promise<MapWords[]> {
  if (wanted !== 'all' && wanted.length === 0) return [];
  return tx.sql<MapWords>(
    `select name, version, cid, coalesce(document -> 'assetTypes', '{}') as "assetTypes", document -> 'defaults' as defaults, (
       select coalesce(jsonb_object_agg(p.key, jsonb_strip_nulls(jsonb_build_object(
         'label', p.value -> 'label', 'kind', p.value -> 'kind', 'yield', p.value -> 'yield', 'massBalance', p.value -> 'massBalance',
         'fields', p.value -> 'fields', 'kdes', p.value -> 'kdes', 'expiry', p.value -> 'expiry',
         'consumption', p.value #> '{inputs,consumption}'))), '{}')
       from jsonb_each(document -> 'processes') p) as processes
     from traceability.process_map
     where tenant_id = $1 and ($2::text[] is null or (name, version) in (select * from unnest($2::text[], $3::text[])))
     order by published_at desc, name, version`,
    wanted === 'all' ? [tx.tenantId, null, null] : [tx.tenantId, wanted.map((map) => map.name), wanted.map((map) => map.version)],
  );
}

/** These columns of each process `p` in the newest version `m` of each map, by map. */
export async function ofNewestProcesses<Row>(tx: TenantTx, columns: string): Promise<readonly Row[]> {
  return tx.sql<Row>(
    `select p.key as "processType", ${columns}
     from (${NEWEST}) newest join traceability.process_map m on m.tenant_id = $1 and m.name = newest.name and m.version = newest.version
     cross join lateral jsonb_each(m.document -> 'processes') with ordinality p(key, value, n)
     order by m.name, p.n`,
    [tx.tenantId],
  );
}

/** GTIN of 14 digits to asset type, of the newest version of each map, by the map's name. */
export async function loadGtins(tx: TenantTx): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
  const rows = await tx.sql<{ readonly name: string; readonly gtins: Readonly<Record<string, string>> }>(
    `select m.name, jsonb_object_agg(lpad(t.value ->> 'gtin', 14, '0'), t.key) as gtins
     from (${NEWEST}) newest join traceability.process_map m on m.tenant_id = $1 and m.name = newest.name and m.version = newest.version
     cross join lateral jsonb_each(m.document -> 'assetTypes') t where t.value -> 'gtin' is not null group by m.name`,
    [tx.tenantId],
  );
  return new Map(rows.map(({ name, gtins }) => [name, new Map(Object.entries(gtins))]));
}

/** A process of a published map, by which an event's metadata is shown. */
export interface ProcessKey {
  readonly map: string | null;
  readonly version: string | null;
  readonly processType: string | null;
}

export const processKey = ({ map, version, processType }: ProcessKey): string => `${map}@${version}/${processType}`;

/** These columns of each process, by `processKey`; an unknown process is left out. */
async function ofProcesses<Row>(tx: TenantTx, processes: readonly ProcessKey[], columns: string): Promise<ReadonlyMap<string, Row>> {
  const wanted = [
    ...new Map(processes.filter((one) => one.map !== null && one.processType !== null).map((one) => [processKey(one), one])).values(),
  ];
  if (wanted.length === 0) return new Map();
  const rows = await tx.sql<ProcessKey & Row>(
    `select w.map, w.version, w.process_type as "processType", ${columns}
     from unnest($2::text[], $3::text[], $4::text[]) as w(map, version, process_type)
     join traceability.process_map m on m.tenant_id = $1 and m.name = w.map and m.version = w.version`,
    [tx.tenantId, wanted.map((one) => one.map), wanted.map((one) => one.version), wanted.map((one) => one.processType)],
  );
  return new Map(rows.map((row) => [processKey(row), row]));
}

/** By tenant and `processKey`: a published version of a map never changes. */
const knownPointers = new SharedCache<readonly string[]>({ whole: 32 * MiB, share: 8 * MiB });

/** The pointers that are public in each process; an unknown process shows nothing. */
export async function loadPublicPointers(tx: TenantTx, processes: readonly ProcessKey[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const { known, unknown } = rememberedPointers(tx, processes);
  const found = await ofProcesses<{ readonly pointers: readonly string[] | null }>(
    tx,
    unknown,
    "m.document #> array['processes', w.process_type, 'visibility', 'public'] as pointers",
  );
  for (const [key, { pointers }] of found) {
    knownPointers.set(tx.tenantId, key, pointers ?? [], heldBytes(pointers));
    known.set(key, pointers ?? []);
  }
  return known;
}

/** The same outside of a transaction: mostly without one, since they are remembered. */
export async function publicPointersOf(
  work: UnitOfWork,
  scope: TenantScope,
  processes: readonly ProcessKey[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { known, unknown } = rememberedPointers(scope, processes);
  return unknown.length === 0 ? known : work.read(scope, (tx) => loadPublicPointers(tx, processes));
}

function rememberedPointers({ tenantId }: TenantScope, processes: readonly ProcessKey[]) {
  const known = new Map<string, readonly string[]>();
  const unknown = new Map<string, ProcessKey>();
  for (const one of processes) {
    if (one.map === null || one.processType === null) continue;
    const key = processKey(one);
    const pointers = knownPointers.get(tenantId, key);
    if (pointers) known.set(key, pointers);
    else unknown.set(key, one);
  }
  return { known, unknown: [...unknown.values()] };
}

/** The CBV terms of each process, and where it keeps well-known values. */
export async function loadTellings(
  tx: TenantTx,
  processes: readonly ProcessKey[],
): Promise<ReadonlyMap<string, NonNullable<EventAccount['process']>>> {
  return ofProcesses(
    tx,
    processes,
    `m.document #>> array['processes', w.process_type, 'epcis', 'bizStep'] as "bizStep",
     m.document #>> array['processes', w.process_type, 'epcis', 'disposition'] as disposition,
     m.document #>> array['processes', w.process_type, 'epcis', 'action'] as action,
     coalesce(m.document #> array['processes', w.process_type, 'fields'], '{}') as fields`,
  );
}
