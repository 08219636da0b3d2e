-- When the owner of the address signed for its user: a confirmation, or a sign-in. Null for what somebody typed: an address that is proved
-- counts before it, and takes its place.
alter table identity.wallet add column proven_at timestamptz;
update identity.wallet w set proven_at = a.at
from (select tenant_id, actor_id, details->>'wallet' as address, max(at) as at from identity.audit_entry
      where action = 'member.wallet_confirmed' group by 1, 2, 3) a
where w.tenant_id = a.tenant_id and w.address = a.address and w.user_id::text = a.actor_id;
