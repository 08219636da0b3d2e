import type { TenantTx } from '#persistence';
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
         'fields', p.value -> 'fields'))), '{}')
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

/** The pointers that are public in each of these processes, by `processKey`; a process that is not there shows nothing. */
export async function loadPublicPointers(tx: TenantTx, processes: readonly ProcessKey[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const wanted = [
    ...new Map(processes.filter((one) => one.map !== null && one.processType !== null).map((one) => [processKey(one), one])).values(),
  ];
  if (wanted.length === 0) return new Map();
  const rows = await tx.sql<ProcessKey & { readonly pointers: readonly string[] | null }>(
    `select w.map, w.version, w.process_type as "processType", m.document #> array['processes', w.process_type, 'visibility', 'public'] as pointers
     from unnest($2::text[], $3::text[], $4::text[]) as w(map, version, process_type)
     join traceability.process_map m on m.tenant_id = $1 and m.name = w.map and m.version = w.version`,
    [tx.tenantId, wanted.map((one) => one.map), wanted.map((one) => one.version), wanted.map((one) => one.processType)],
  );
  return new Map(rows.map((row) => [processKey(row), row.pointers ?? []]));
}
