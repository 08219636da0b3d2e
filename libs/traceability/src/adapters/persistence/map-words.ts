import type { TenantTx } from '#persistence';
import type { EventAccount } from '../../contract.js';
import type { MapWords } from '../../domain/projection-words.js';

export async function loadMapWords(
  tx: TenantTx,
  wanted: readonly { readonly name: string; readonly version: string }[] | 'all',
): Promise<MapWords[]> {
  if (wanted !== 'all' && wanted.length === 0) return [];
  return tx.sql<MapWords>(
    `select name, version, cid, coalesce(document -> 'assetTypes', '{}') as "assetTypes", document -> 'defaults' as defaults, (
       select coalesce(jsonb_object_agg(p.key, jsonb_strip_nulls(jsonb_build_object(
         'label', p.value -> 'label', 'kind', p.value -> 'kind', 'yield', p.value -> 'yield', 'massBalance', p.value -> 'massBalance',
         'fields', p.value -> 'fields', 'kdes', p.value -> 'kdes',
         'consumption', p.value #> '{inputs,consumption}'))), '{}')
       from jsonb_each(document -> 'processes') p) as processes
     from traceability.process_map
     where tenant_id = $1 and ($2::text[] is null or (name, version) in (select * from unnest($2::text[], $3::text[])))
     order by published_at desc, name, version`,
    wanted === 'all' ? [tx.tenantId, null, null] : [tx.tenantId, wanted.map((map) => map.name), wanted.map((map) => map.version)],
  );
}

/** A process of a published map, by which an event's metadata is shown. */
export interface ProcessKey {
  readonly map: string | null;
  readonly version: string | null;
  readonly processType: string | null;
}

export const processKey = ({ map, version, processType }: ProcessKey): string => `${map}@${version}/${processType}`;

/** What is asked for of each of these processes, by `processKey`; a process that is not there is left out. */
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

/** The pointers that are public in each of these processes; a process that is not there shows nothing. */
export async function loadPublicPointers(tx: TenantTx, processes: readonly ProcessKey[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = await ofProcesses<{ readonly pointers: readonly string[] | null }>(
    tx,
    processes,
    "m.document #> array['processes', w.process_type, 'visibility', 'public'] as pointers",
  );
  return new Map([...found].map(([key, { pointers }]) => [key, pointers ?? []]));
}

/** How each of these processes is told in the words of the CBV, and where it keeps well-known values. */
export async function loadTellings(
  tx: TenantTx,
  processes: readonly ProcessKey[],
): Promise<ReadonlyMap<string, NonNullable<EventAccount['process']>>> {
  return ofProcesses(
    tx,
    processes,
    `m.document #>> array['processes', w.process_type, 'epcis', 'bizStep'] as "bizStep",
     m.document #>> array['processes', w.process_type, 'epcis', 'disposition'] as disposition,
     coalesce(m.document #> array['processes', w.process_type, 'fields'], '{}') as fields`,
  );
}
