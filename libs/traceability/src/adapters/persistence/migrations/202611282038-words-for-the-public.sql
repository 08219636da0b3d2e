-- What a process map lets everybody read and what authorities alone, and the model of chain of custody that it claims.
create or replace view traceability.process_v1 with (security_invoker = true) as
select m.tenant_id, m.name as map_name, m.version as map_version, m.published_at, p.key as process_type, p.value ->> 'label' as label,
  p.value ->> 'kind' as kind, coalesce(p.value -> 'documents', '[]') as documents, coalesce(p.value -> 'kdes', '[]') as kdes,
  p.value -> 'fsma204' as fsma204, coalesce(p.value -> 'fields', '{}') as fields, coalesce(m.document -> 'defaults', '{}') as defaults,
  coalesce(p.value #> '{visibility,public}', '[]') as public_pointers,
  coalesce(p.value #> '{visibility,authority}', '[]') as authority_pointers, m.document ->> 'chainOfCustody' as chain_of_custody
from traceability.process_map m cross join lateral jsonb_each(m.document -> 'processes') p;
