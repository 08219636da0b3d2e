grant usage on schema keys to trace_tenant, trace_system;

-- One key a tenant, under which the keys of its contents are wrapped. It is wrapped itself, by a key that is not in this database.
create table keys.tenant_key (
  tenant_id uuid primary key,
  wrapped text not null,
  created_at timestamptz not null default now(),
  wrapped_at timestamptz not null default now()
);
call persistence.protect('keys.tenant_key');

-- The keys of a sealed content, named by its CID and committed before anything refers to it. Without its row a content stays closed for good.
create table keys.content_key (
  tenant_id uuid not null,
  cid text not null,
  wrapped bytea not null, -- its keys by class, under the tenant's key; bound to this row
  -- Hashes of the leaves that no key opens: random ones, and those of values whose keys were destroyed. They tell nothing without the salts.
  hidden bytea not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, cid)
);
call persistence.protect('keys.content_key');
create index content_key_cid on keys.content_key (cid);
