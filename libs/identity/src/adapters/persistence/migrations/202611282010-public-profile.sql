-- With what an organisation says of itself to everybody.
create or replace view identity.organisation_v1 with (security_invoker = true) as
select tenant_id, id, name, lei, gln, did, public_profile from identity.organisation;
