import type { TenantTx } from '#persistence';
import type { MapWords } from '../../domain/projection-words.js';

export async function loadMapWords(
  tx: TenantTx,
  wanted: readonly { readonly name: string; readonly version: string }[] | 'all',
): Promise<MapWords[]> {
  if (wanted !== 'all' && wanted.length === 0) return [];
  return tx.sql<MapWords>(
    `select name, version, cid, coalesce(document -> 'assetTypes', '{}') as "assetTypes", (
       select coalesce(jsonb_object_agg(p.key, jsonb_build_object('label', p.value -> 'label', 'kind', p.value -> 'kind')), '{}')
       from jsonb_each(document -> 'processes') p) as processes
     from traceability.process_map
     where tenant_id = $1 and ($2::text[] is null or (name, version) in (select * from unnest($2::text[], $3::text[])))
     order by published_at desc, name, version`,
    wanted === 'all' ? [tx.tenantId, null, null] : [tx.tenantId, wanted.map((map) => map.name), wanted.map((map) => map.version)],
  );
}
