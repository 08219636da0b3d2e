-- Everything here is looked up by the key of a lot within its tenant, and two indexes of a table begin with the tenant. By statistics that
-- know all tenants of the last ANALYZE, a tenant that came or grew since has one row: either index will do then, and the one for the other
-- end of an edge reads the whole tenant for every lot. Without statistics of tenants each one has the same part of the table's present
-- size, and the index that has the lot's key wins whoever was there when the table was analysed.
alter table traceability.edge alter column tenant_id set statistics 0;
alter table traceability.recall_affected alter column tenant_id set statistics 0;
alter table traceability.event_lot alter column tenant_id set statistics 0;

-- ANALYZE leaves what it once knew of such a column; PostgreSQL 18 can forget it.
do $$
declare
  name text;
begin
  if exists (select from pg_proc where proname = 'pg_clear_attribute_stats') then
    foreach name in array array['edge', 'recall_affected', 'event_lot'] loop
      perform pg_clear_attribute_stats('traceability', name, 'tenant_id', false);
    end loop;
  end if;
end $$;
