grant usage on schema passports to trace_tenant, trace_system;

-- Passport settings of a tenant. No row = passports are off.
create table passports.setting (
  tenant_id uuid primary key,
  enabled boolean not null,
  show_integrity boolean not null,
  resolver text, -- `https://host` of the links on labels; null = the host of the request
  issued_to bigint not null default -1, -- block up to which passports are issued
  archived_to bigint not null default -1, -- block up to which changes of passports are archived
  changed_by text not null, -- user or API key id
  changed_at timestamptz not null
);
call persistence.protect('passports.setting');

-- One row per lot with a passport, from the finality of its mint. Never deleted, because the code is printed on goods. It belongs to the
-- lot with this code: after a deep reorg another lot may have the token id.
create table passports.passport (
  tenant_id uuid not null,
  id text not null check (id ~ '^[0-9a-f]{32}$'), -- 128 random bits
  token_id bigint not null,
  contract text not null,
  tlc text not null,
  key text not null, -- text of the lot's key
  gtin text check (gtin ~ '^[0-9]{14}$'),
  serial text, -- of a single item
  granularity text not null default 'batch' check (granularity in ('model', 'batch', 'item')), -- what one passport is about, fixed when it is issued
  link text, -- path of its GS1 Digital Link, '/01/…'; null without one, or where it belongs to another passport of the tenant
  issued_at timestamptz not null,
  version integer not null default 1, -- of the public content
  content_hash text, -- sha2-256 of the public content; null before the first request
  updated_at timestamptz not null,
  withdrawn_at timestamptz,
  withdrawn_by text,
  withdrawn_reason text,
  checked_at timestamptz, -- last check of bytes and chain
  check_result text check (check_result in ('ok', 'mismatch', 'unreachable')),
  primary key (tenant_id, id),
  unique (tenant_id, contract, token_id, tlc)
);
create unique index passport_by_id on passports.passport (id);
-- Several tenants may have one key, and then its link leads to all of them (docs/adr/0024-several-tenants-may-have-one-key.md).
create unique index passport_by_link on passports.passport (link, tenant_id) where link is not null;
-- For the names that exports give to codes of the tenant's own.
create index passport_by_key on passports.passport (tenant_id, key);
create index passport_by_issue on passports.passport (tenant_id, issued_at desc, id);
create index passport_unchecked on passports.passport (tenant_id, checked_at nulls first);
call persistence.protect('passports.passport');

-- What the public read of a passport, a row for each change. Nothing is deleted: who holds the goods may ask for what was said of them then.
create table passports.version (
  tenant_id uuid not null,
  passport_id text not null,
  version integer not null,
  valid_from timestamptz not null, -- until the next version
  document text not null, -- canonical JSON of the document in full representation; erased values are null
  hash text not null, -- sha2-256 of the document as it was archived
  event_id uuid, -- the latest event of the lot's history then
  chain_id bigint,
  contract text,
  tx_hash text,
  block_number bigint,
  actor text, -- address that signed it; null where the change has another cause
  org_id text, -- its organisation
  primary key (tenant_id, passport_id, version),
  foreign key (tenant_id, passport_id) references passports.passport (tenant_id, id)
);
create index version_by_time on passports.version (tenant_id, passport_id, valid_from desc, version desc);
call persistence.protect('passports.version');
-- Passports that nobody has read yet have no version.
create index passport_unread on passports.passport (tenant_id, id) where content_hash is null;

-- Links of a tenant's own, from a key of GS1 to a page or a service.
create table passports.link (
  tenant_id uuid not null,
  id uuid not null,
  anchor text not null, -- path of a GS1 Digital Link, '/01/…', canonical
  link_type text not null, -- of the GS1 Web Vocabulary, without its prefix
  href text not null,
  title text not null,
  media_type text,
  languages text[] not null,
  is_default boolean not null, -- of the links of this key the one that is followed when nothing else is asked for
  created_at timestamptz not null,
  changed_at timestamptz not null,
  changed_by text not null, -- user or API key id
  primary key (tenant_id, id)
);
-- The resolver knows no tenant.
create index link_by_anchor on passports.link (anchor, tenant_id);
create unique index default_link_by_anchor on passports.link (tenant_id, anchor) where is_default;
create index link_by_creation on passports.link (tenant_id, created_at desc, id);
call persistence.protect('passports.link');

-- What persons and organisations outside of the tenant may read of a passport. Rows stay: they say who could read what, and why.
create table passports.access_grant (
  tenant_id uuid not null,
  id uuid not null,
  passport_id text not null,
  token_hash bytea not null, -- sha2-256; the token is shown once
  kind text not null check (kind in ('link', 'key')), -- opens it once, or until it expires
  access_class text not null check (access_class in ('legitimate_interest', 'authority')),
  grantee text not null,
  purpose text not null,
  created_at timestamptz not null,
  created_by text not null, -- user or API key id
  expires_at timestamptz not null,
  uses integer not null default 0,
  used_at timestamptz,
  withdrawn_at timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, passport_id) references passports.passport (tenant_id, id)
);
-- Who has a token knows no tenant.
create unique index access_grant_by_token on passports.access_grant (token_hash);
create index access_grant_by_passport on passports.access_grant (tenant_id, passport_id, created_at desc, id);
call persistence.protect('passports.access_grant');

-- How a tenant registers its passports. No row: it does not.
create table passports.registry_setting (
  tenant_id uuid primary key,
  url text, -- of the registry; null = entries are fetched as a batch file
  back_up_url text, -- where the back-up of the passports is served
  certificate_chain text not null, -- PEM: the certificate of the seal, then those that issued it
  seal_key text not null, -- PEM of its key, wrapped by the key of the service
  changed_at timestamptz not null,
  changed_by text not null -- user or API key id
);
call persistence.protect('passports.registry_setting');

-- What the registry gets of passports, and what it said. Rows stay: they say which version was registered when, under which seal.
create table passports.registration (
  tenant_id uuid not null,
  passport_id text not null,
  number integer not null, -- of the entries of the passport
  version integer not null,
  action text not null check (action in ('register', 'withdraw')),
  state text not null check (state in ('waiting', 'registered', 'refused')),
  entry text not null, -- canonical JSON
  seal text not null, -- detached JAdES signature of its bytes
  registration_id text, -- of the registry
  reason_code text, -- why it was refused, or still waits after an attempt
  reason text,
  attempts integer not null,
  created_at timestamptz not null,
  next_attempt_at timestamptz not null,
  settled_at timestamptz,
  primary key (tenant_id, passport_id, number),
  foreign key (tenant_id, passport_id) references passports.passport (tenant_id, id)
);
create index registration_waiting on passports.registration (tenant_id, passport_id, number) where state = 'waiting';
create index registration_by_creation on passports.registration (tenant_id, created_at desc, passport_id, number desc);
call persistence.protect('passports.registration');
