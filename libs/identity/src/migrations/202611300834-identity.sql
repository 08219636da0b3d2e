grant usage on schema identity to trace_tenant, trace_system;
-- Whatever somebody asks for, an entry of the last year stays, and none is changed.
create function identity.refuse_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and old.at < now() - interval '365 days' then return old; end if;
  raise exception 'the audit log is append-only';
end $$;

create table identity.tenant (
  id uuid primary key,
  slug text not null unique,
  name text not null,
  on_chain_tenant_id text not null unique,
  environment text not null check (environment in ('sandbox', 'production')),
  tier text not null,
  status text not null check (status in ('active', 'suspended')),
  created_at timestamptz not null
);
-- The key is the tenant itself, so the policies differ from persistence.protect: a tenant reads its own row, the system all rows.
alter table identity.tenant enable row level security;
alter table identity.tenant force row level security;
create policy of_tenant on identity.tenant for select to trace_tenant using (id = persistence.current_tenant());
create policy of_system on identity.tenant to trace_system using (true) with check (true);
grant select on identity.tenant to trace_tenant;
grant select, insert, update, delete on identity.tenant to trace_system;

-- The contracts that the registry made for a tenant, newest last. The indexer writes them and undoes them by block.
create table identity.tenant_contract (
  tenant_id uuid not null references identity.tenant (id),
  chain_id bigint not null,
  address text not null,
  version int not null,
  from_block bigint not null,
  log_index int not null,
  tx_hash text not null,
  primary key (tenant_id, chain_id, address),
  unique (chain_id, address)
);
create index tenant_contract_by_block on identity.tenant_contract (chain_id, from_block);
call persistence.protect('identity.tenant_contract');

-- A person belongs to no tenant: only the system reads users and sessions.
create table identity.app_user (
  id uuid primary key,
  email text not null unique,
  name text not null,
  password_hash text,
  platform_admin boolean not null,
  disabled_at timestamptz,
  created_at timestamptz not null,
  -- Of mails to the person: what they chose, or what their browser or that of who invited them asks for.
  language text check (language in ('en', 'de', 'fr', 'es', 'vi'))
);
-- The oldest users without a password, for the deletion of those who never accepted an invitation.
create index app_user_without_password on identity.app_user (created_at) where password_hash is null;
grant select, insert, update, delete on identity.app_user to trace_system;

create table identity.session (
  id uuid primary key,
  user_id uuid not null references identity.app_user (id),
  active_tenant uuid references identity.tenant (id),
  counter int not null,
  login_fingerprint text not null,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  rotated_at timestamptz not null,
  revoked_at timestamptz,
  -- A session opened by a wallet reaches only the memberships that hold this wallet: an administrator who binds wallets in one tenant
  -- gains nothing in another.
  wallet text,
  -- A session opened by a passkey reaches only the tenant that the passkey was made for.
  only_tenant uuid references identity.tenant (id),
  -- Names, not the header: its owner recognises the device by them.
  browser text,
  system text
);
create index session_by_user on identity.session (user_id);
create index session_by_age on identity.session (last_used_at);
create index session_ended on identity.session (revoked_at) where revoked_at is not null;
grant select, insert, update, delete on identity.session to trace_system;

create table identity.organisation (
  tenant_id uuid not null references identity.tenant (id),
  id uuid not null,
  name text not null,
  did text,
  lei text,
  gln text,
  public_profile jsonb not null,
  created_at timestamptz not null,
  primary key (tenant_id, id)
);
create unique index organisation_by_name on identity.organisation (tenant_id, lower(name));
call persistence.protect('identity.organisation');
call persistence.revise_on('identity.organisation', 'insert or update or delete', 'true');

create table identity.site (
  tenant_id uuid not null,
  id uuid not null,
  org_id uuid not null,
  name text not null,
  gln text,
  location jsonb,
  created_at timestamptz not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, org_id) references identity.organisation (tenant_id, id)
);
create index site_by_organisation on identity.site (tenant_id, org_id);
call persistence.protect('identity.site');
call persistence.revise_on('identity.site', 'insert or update or delete', 'true');

create table identity.member (
  tenant_id uuid not null references identity.tenant (id),
  user_id uuid not null references identity.app_user (id),
  roles text[] not null,
  role_scopes jsonb not null,
  org_id uuid,
  wallet text,
  created_at timestamptz not null,
  revoked_at timestamptz,
  -- A wallet that an administrator proposes signs in for nobody before the member has confirmed it with a signature of it.
  proposed_wallet text,
  -- The name under which this tenant invited the person: what another tenant knows of them is not shown.
  invited_name text,
  -- When the person first signed in to this tenant. Until then the membership changes nothing of what they do elsewhere.
  accepted_at timestamptz,
  -- Since when the member's wallet is replaced because its keys are lost. It signs in for nobody until another one is confirmed.
  recovering_since timestamptz,
  primary key (tenant_id, user_id),
  foreign key (tenant_id, org_id) references identity.organisation (tenant_id, id)
);
create index member_by_user on identity.member (user_id);
call persistence.protect('identity.member');

create table identity.wallet (
  tenant_id uuid not null references identity.tenant (id),
  address text not null,
  org_id uuid,
  site_id uuid,
  user_id uuid references identity.app_user (id),
  label text,
  created_at timestamptz not null,
  -- When the owner of the address signed for its user: a confirmation, or a sign-in. Null for what somebody typed: an address that is
  -- proved counts before it, and takes its place.
  proven_at timestamptz,
  primary key (tenant_id, address),
  foreign key (tenant_id, org_id) references identity.organisation (tenant_id, id),
  foreign key (tenant_id, site_id) references identity.site (tenant_id, id)
);
create index wallet_by_organisation on identity.wallet (tenant_id, org_id);
create index wallet_by_address on identity.wallet (address);
call persistence.protect('identity.wallet');
call persistence.revise_on('identity.wallet', 'insert or update or delete', 'true');

create table identity.api_key (
  tenant_id uuid not null references identity.tenant (id),
  id uuid not null unique,
  name text not null,
  prefix text not null,
  secret_hash bytea not null,
  previous_hash bytea,
  previous_until timestamptz,
  roles text[] not null,
  role_scopes jsonb not null,
  org_id uuid,
  wallet text,
  created_by uuid,
  created_at timestamptz not null,
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, org_id) references identity.organisation (tenant_id, id)
);
call persistence.protect('identity.api_key');

-- Changes of rights. Every process reads the last seconds and drops the cached credentials that they concern.
create table identity.revocation (
  id bigint generated always as identity primary key,
  subject text not null,
  created_at timestamptz not null default clock_timestamp()
);
create index revocation_by_time on identity.revocation (created_at);
grant select, insert, delete on identity.revocation to trace_system;
-- A wallet move changes the rights of its member, and the indexer writes it with the tenant's rights.
grant insert on identity.revocation to trace_tenant;

-- On-chain roles of each account: one row per change, undone by block. The newest row counts.
create table identity.chain_role (
  tenant_id uuid not null,
  contract text not null,
  account text not null,
  block_number bigint not null,
  log_index int not null,
  chain_id bigint not null,
  roles int not null, -- a sum of the role constants of contracts/src/TenantLots.sol
  primary key (tenant_id, contract, account, block_number, log_index)
);
create index chain_role_by_block on identity.chain_role (chain_id, block_number);
call persistence.protect('identity.chain_role');

create table identity.chain_process_scope (
  tenant_id uuid not null,
  contract text not null,
  account text not null,
  process_id text not null, -- bytes32, lower-case hex
  block_number bigint not null,
  log_index int not null,
  chain_id bigint not null,
  allowed boolean not null,
  -- One call sets many processes, with one log each.
  primary key (tenant_id, contract, account, process_id, block_number, log_index)
);
create index chain_process_scope_by_block on identity.chain_process_scope (chain_id, block_number);
call persistence.protect('identity.chain_process_scope');

-- New addresses of custodians, and the members rebound by them. Undone by block.
create table identity.wallet_move (
  tenant_id uuid not null,
  contract text not null,
  from_address text not null,
  to_address text not null,
  block_number bigint not null,
  log_index int not null,
  chain_id bigint not null,
  member_ids uuid[] not null,
  bound boolean not null, -- true = this move bound the new address
  primary key (tenant_id, contract, from_address, block_number, log_index)
);
create index wallet_move_by_block on identity.wallet_move (chain_id, block_number);
call persistence.protect('identity.wallet_move');

-- One-time links for members who have no password yet; the token itself is not kept.
create table identity.invitation (
  token_hash bytea primary key,
  user_id uuid not null references identity.app_user (id),
  tenant_id uuid not null references identity.tenant (id),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index invitation_by_user on identity.invitation (user_id);
create index invitation_by_expiry on identity.invitation (expires_at);
grant select, insert, update, delete on identity.invitation to trace_system;
-- Invitations name a tenant but are reached by their token, as the system: no tenant has a policy, or a right, of its own.
alter table identity.invitation enable row level security;
alter table identity.invitation force row level security;
create policy of_system on identity.invitation to trace_system using (true) with check (true);

-- The audit log. Rows are never changed, and deleted by the retention alone, not before they are a year old.
create table identity.audit_entry (
  tenant_id uuid not null references identity.tenant (id),
  id uuid not null,
  seq bigint generated always as identity,
  at timestamptz not null,
  action text not null,
  actor_kind text not null check (actor_kind in ('user', 'api_key', 'platform', 'operator', 'grant')),
  actor_id text,
  subject text,
  details jsonb not null,
  primary key (tenant_id, id)
);
create index audit_entry_newest on identity.audit_entry (tenant_id, at desc, seq desc);
create index audit_entry_by_action on identity.audit_entry (tenant_id, action, at desc);
call persistence.protect('identity.audit_entry');
create index audit_entry_age on identity.audit_entry (at);
revoke update, delete on identity.audit_entry from trace_tenant;
revoke update on identity.audit_entry from trace_system;
create trigger append_only before update or delete on identity.audit_entry for each row execute function identity.refuse_change();
create trigger append_only_whole before truncate on identity.audit_entry for each statement execute function identity.refuse_change();

-- One nonce, one sign-in. The caller is not known yet, so there is no tenant.
create table identity.siwe_nonce (
  nonce text primary key,
  issued_at timestamptz not null
);
create index siwe_nonce_by_age on identity.siwe_nonce (issued_at);
grant select, insert, delete on identity.siwe_nonce to trace_system;

-- Passkeys of a person in one tenant: a key of its own for each, so that keys do not link people over tenants.
create table identity.passkey (
  tenant_id uuid not null references identity.tenant (id),
  id text not null, -- of the credential, base64url
  user_id uuid not null references identity.app_user (id),
  name text not null,
  public_key bytea not null, -- COSE
  x text not null, -- the point on P-256, 0x and 64 hex digits each
  y text not null,
  rp_id text not null,
  sign_count bigint not null,
  backed_up boolean not null,
  transports text[] not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  primary key (tenant_id, id),
  unique (id)
);
create index passkey_by_user on identity.passkey (user_id);
call persistence.protect('identity.passkey');

-- Accounts on chain for which passkeys sign. An address follows from factory and configuration, so it is known before it is deployed.
create table identity.passkey_account (
  tenant_id uuid not null references identity.tenant (id),
  address text not null, -- EIP-55
  chain_id bigint not null,
  user_id uuid references identity.app_user (id),
  org_id uuid,
  factory text not null,
  config jsonb not null, -- salt, guarded, keys: what it is made from
  created_at timestamptz not null,
  primary key (tenant_id, address),
  unique (chain_id, address),
  foreign key (tenant_id, org_id) references identity.organisation (tenant_id, id),
  check (num_nonnulls(user_id, org_id) = 1)
);
-- An organisation has one account on a chain.
create unique index passkey_account_of_organisation on identity.passkey_account (tenant_id, org_id, chain_id) where org_id is not null;
create index passkey_account_by_user on identity.passkey_account (user_id);
call persistence.protect('identity.passkey_account');

-- Calls that were prepared for these accounts: a relay is made of nothing else. `used`: a relay carries it.
create table identity.account_call (
  tenant_id uuid not null,
  id uuid not null,
  account text not null,
  to_address text not null, -- EIP-55
  data text not null,
  gas bigint not null,
  used boolean not null default false,
  created_at timestamptz not null,
  primary key (tenant_id, id)
);
create index account_call_by_age on identity.account_call (created_at);
call persistence.protect('identity.account_call');

-- One challenge, one answer of an authenticator. Without a user for a sign-in: who signs in is not known yet.
create table identity.passkey_challenge (
  challenge text primary key, -- base64url
  -- Without a reference: an old challenge must not keep a user who never accepted an invitation.
  user_id uuid,
  tenant_id uuid,
  issued_at timestamptz not null
);
create index passkey_challenge_by_age on identity.passkey_challenge (issued_at);
grant select, insert, delete on identity.passkey_challenge to trace_system;
alter table identity.passkey_challenge enable row level security;
alter table identity.passkey_challenge force row level security;
create policy of_system on identity.passkey_challenge to trace_system using (true) with check (true);

-- One-time links for a forgotten password; the token itself is not kept, and a used or expired one is deleted.
create table identity.password_reset (
  token_hash bytea primary key,
  user_id uuid not null references identity.app_user (id),
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index password_reset_by_user on identity.password_reset (user_id);
create index password_reset_by_expiry on identity.password_reset (expires_at);
grant select, insert, delete on identity.password_reset to trace_system;

-- Mails of the last day that anybody could cause, so that nobody fills the mailbox of somebody else. The address itself is not kept.
create table identity.mail_sent (
  id bigint generated always as identity primary key,
  mailbox_hash bytea not null,
  sent_at timestamptz not null
);
create index mail_sent_by_mailbox on identity.mail_sent (mailbox_hash);
create index mail_sent_by_age on identity.mail_sent (sent_at);
grant select, insert, delete on identity.mail_sent to trace_system;

-- Usage of a tenant per calendar month (UTC). A month has several rows and a writer takes any of them, so that concurrent prepares of a
-- tenant do not wait for each other. Stored bytes are the sum over all months.
create table identity.usage (
  tenant_id uuid not null,
  month date not null,
  slot smallint not null,
  events bigint not null default 0,
  bytes bigint not null default 0,
  primary key (tenant_id, month, slot)
);
call persistence.protect('identity.usage');

-- The published views. Organisations with their public profile.
create view identity.organisation_v1 with (security_invoker = true) as
select tenant_id, id, name, lei, gln, did, public_profile from identity.organisation;

-- Wallets with their site: the one they are bound to, else the only site of their organisation.
create view identity.wallet_v1 with (security_invoker = true) as
select w.tenant_id, w.address, w.org_id, s.id as site_id, s.name as site_name, s.gln as site_gln, s.location as site_location
from identity.wallet w
left join lateral (
  select s.* from identity.site s
  where s.tenant_id = w.tenant_id and (s.id = w.site_id or (w.site_id is null and s.org_id = w.org_id and not exists (
    select from identity.site other where other.tenant_id = s.tenant_id and other.org_id = s.org_id and other.id <> s.id)))
) s on true;

-- Wallets with what they are called (docs/spec/domain.md#custodian-label): the facility if one is set, then the organisation, the person,
-- the address book. A wallet without any of them is called by its address.
create view identity.party_v1 with (security_invoker = true) as
select w.tenant_id, w.address, coalesce(s.name, o.name, w.label) as label,
  case when s.id is not null then 'facility' when o.id is not null then 'organization' when w.user_id is not null then 'user'
       else 'partner' end as kind,
  o.id as org_id, o.name as org_name
from identity.wallet w
left join identity.site s on s.tenant_id = w.tenant_id and s.id = w.site_id
left join identity.organisation o on o.tenant_id = w.tenant_id and o.id = coalesce(w.org_id, s.org_id);

-- All tenants, for jobs that visit each of them.
create view identity.tenant_v1 with (security_invoker = true) as
select id as tenant_id, slug, status, name from identity.tenant;

grant select on identity.organisation_v1, identity.wallet_v1, identity.party_v1, identity.tenant_v1 to trace_tenant, trace_system;
