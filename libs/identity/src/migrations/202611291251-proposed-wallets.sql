-- A wallet that an administrator proposes signs in for nobody before the member has confirmed it with a signature of it.
alter table identity.member add column proposed_wallet text;
-- The name under which this tenant invited the person: what another tenant knows of them is not shown. Null for earlier members.
alter table identity.member add column invited_name text;
-- When the person first signed in to this tenant. Until then the membership changes nothing of what they do elsewhere.
alter table identity.member add column accepted_at timestamptz;
update identity.member set accepted_at = created_at;
