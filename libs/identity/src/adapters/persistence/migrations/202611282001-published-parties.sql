-- The published views: what reports may read of who holds lots and where. They run with the rights of the reader, and name no person.
create view identity.organisation_v1 with (security_invoker = true) as
select tenant_id, id, name, lei, gln, did from identity.organisation;

-- Wallets with the place that stands for them: the site they are bound to, else the only site of their organisation.
create view identity.wallet_v1 with (security_invoker = true) as
select w.tenant_id, w.address, w.org_id, s.id as site_id, s.name as site_name, s.gln as site_gln, s.location as site_location
from identity.wallet w
left join lateral (
  select s.* from identity.site s
  where s.tenant_id = w.tenant_id and (s.id = w.site_id or (w.site_id is null and s.org_id = w.org_id and not exists (
    select from identity.site other where other.tenant_id = s.tenant_id and other.org_id = s.org_id and other.id <> s.id)))
) s on true;

grant select on identity.organisation_v1, identity.wallet_v1 to trace_tenant, trace_system;
