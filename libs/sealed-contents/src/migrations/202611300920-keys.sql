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
  -- Paths of the values whose keys were destroyed: each a list of names and places. A key is never written again.
  erased jsonb not null default '[]',
  -- How often disclosures of its values of persons were given away, which nobody can take back.
  disclosed integer not null default 0,
  -- A note of a call: no row of an event has its words, so who looks for a person opens it.
  is_note boolean not null default false,
  -- What the note says, under the tenant's key and bound to this row: a search need not open its block. Null for a long one.
  words bytea,
  created_at timestamptz not null default now(),
  primary key (tenant_id, cid)
);
call persistence.protect('keys.content_key');
create index content_key_cid on keys.content_key (cid);
create index content_key_note on keys.content_key (tenant_id, cid) where is_note;

-- Whose keys were destroyed, when and for which values: ids and paths, never a value. The erasure log has the same lines outside of this database,
-- so that a dump of before does not bring the keys back.
create table keys.erasure (
  tenant_id uuid not null,
  id uuid not null,
  part integer not null, -- a large erasure is done in several transactions
  erased_at timestamptz not null,
  erased_by text not null, -- user or API key id
  contents jsonb not null, -- [{cid, eventId, paths}]
  erased_values integer not null,
  primary key (tenant_id, id, part)
);
call persistence.protect('keys.erasure');
revoke update, delete on keys.erasure from trace_tenant;
