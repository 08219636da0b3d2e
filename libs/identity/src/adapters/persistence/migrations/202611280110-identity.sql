grant usage on schema identity to trace_tenant, trace_system;

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
-- Its key is the tenant itself, so it has policies of its own: a tenant reads its row, the system all of them.
alter table identity.tenant enable row level security;
alter table identity.tenant force row level security;
create policy of_tenant on identity.tenant for select to trace_tenant using (id = persistence.current_tenant());
create policy of_system on identity.tenant to trace_system using (true) with check (true);
grant select on identity.tenant to trace_tenant;
grant select, insert, update, delete on identity.tenant to trace_system;

-- The contracts that the registry made for a tenant, the newest last: written by the indexer, undone by block.
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

-- A person is of no tenant: only the system reaches users and sessions.
create table identity.app_user (
  id uuid primary key,
  email text not null unique,
  name text not null,
  password_hash text,
  platform_admin boolean not null,
  disabled_at timestamptz,
  created_at timestamptz not null
);
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
  revoked_at timestamptz
);
create index session_by_user on identity.session (user_id);
create index session_by_age on identity.session (last_used_at);
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

create table identity.member (
  tenant_id uuid not null references identity.tenant (id),
  user_id uuid not null references identity.app_user (id),
  roles text[] not null,
  role_scopes jsonb not null,
  org_id uuid,
  wallet text,
  created_at timestamptz not null,
  revoked_at timestamptz,
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
  primary key (tenant_id, address),
  foreign key (tenant_id, org_id) references identity.organisation (tenant_id, id),
  foreign key (tenant_id, site_id) references identity.site (tenant_id, id)
);
create index wallet_by_organisation on identity.wallet (tenant_id, org_id);
create index wallet_by_address on identity.wallet (address);
call persistence.protect('identity.wallet');

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

-- What remembered credentials hang on and what changed: every node reads the last seconds of it and forgets those.
create table identity.revocation (
  id bigint generated always as identity primary key,
  subject text not null,
  created_at timestamptz not null default clock_timestamp()
);
create index revocation_by_time on identity.revocation (created_at);
grant select, insert, delete on identity.revocation to trace_system;
