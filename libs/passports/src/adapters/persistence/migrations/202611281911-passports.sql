grant usage on schema passports to trace_tenant, trace_system;

-- Whether a tenant shows passports, and how. No row: it does not.
create table passports.setting (
  tenant_id uuid primary key,
  enabled boolean not null,
  show_integrity boolean not null,
  resolver text, -- `https://host` that codes on labels lead to; null = the address that was asked
  issued_to bigint not null default -1, -- block up to which lots were looked at
  changed_by text not null, -- user or API key id
  changed_at timestamptz not null
);
call persistence.protect('passports.setting');

-- One row per lot with a passport, from the finality of its mint on; kept for ever, since the code is printed on goods. It is about the
-- lot of this code: after a deep reorganisation another lot may have the number.
create table passports.passport (
  tenant_id uuid not null,
  id text not null check (id ~ '^[0-9a-f]{32}$'), -- 128 random bits
  token_id bigint not null,
  contract text not null,
  tlc text not null,
  gtin text check (gtin ~ '^[0-9]{14}$'), -- where the two make a GS1 Digital Link that leads here
  issued_at timestamptz not null,
  version integer not null default 1, -- of what the public reads
  content_hash text, -- sha2-256 of it; null until somebody asked
  updated_at timestamptz not null,
  withdrawn_at timestamptz,
  withdrawn_by text,
  withdrawn_reason text,
  checked_at timestamptz, -- of the last look at bytes and chain
  check_result text check (check_result in ('ok', 'mismatch', 'unreachable')),
  primary key (tenant_id, id),
  unique (tenant_id, contract, token_id, tlc)
);
create unique index passport_by_id on passports.passport (id);
-- Over all tenants: a code that is printed on goods leads to whoever was first, and nobody takes it over.
create unique index passport_by_link on passports.passport (gtin, tlc) where gtin is not null;
create index passport_by_issue on passports.passport (tenant_id, issued_at desc, id);
create index passport_unchecked on passports.passport (tenant_id, checked_at nulls first);
call persistence.protect('passports.passport');
