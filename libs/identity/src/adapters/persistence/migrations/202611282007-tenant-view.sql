-- Who is there, for work that goes around all tenants.
create view identity.tenant_v1 with (security_invoker = true) as
select id as tenant_id, slug, status from identity.tenant;
grant select on identity.tenant_v1 to trace_tenant, trace_system;
