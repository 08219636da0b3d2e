-- roles.ts creates the roles trace_tenant and trace_system before any migration: they belong to the server, not to this database.
grant usage on schema persistence to trace_tenant, trace_system;
create function persistence.current_tenant() returns uuid language sql stable parallel safe
  as $$ select nullif(current_setting('app.tenant_id', true), '')::uuid $$;
-- Call it for every table with a tenant_id: a tenant's transaction sees its own rows, a system transaction sees all rows, and nobody else
-- sees any, not even the owner. The subselect is evaluated once per statement instead of once per row.
create procedure persistence.protect(target regclass) language plpgsql as $$
begin
  execute format('alter table %s enable row level security', target);
  execute format('alter table %s force row level security', target);
  execute format('create policy of_tenant on %s to trace_tenant using (tenant_id = (select persistence.current_tenant())) with check (tenant_id = (select persistence.current_tenant()))', target);
  execute format('create policy of_system on %s to trace_system using (true) with check (true)', target);
  execute format('grant select, insert, update, delete on %s to trace_tenant, trace_system', target);
end $$;

create table persistence.outbox (
  tenant_id uuid not null,
  id uuid not null,
  seq bigint generated always as identity,
  topic text not null,
  dedup_key text not null,
  body text not null, -- the exact bytes that are signed and sent
  chain_id bigint,
  block_number bigint,
  released boolean not null,
  relayed_at timestamptz,
  created_at timestamptz not null default now(),
  -- The W3C trace that a delivery continues; null = not recorded.
  traceparent text,
  primary key (tenant_id, id),
  unique (tenant_id, dedup_key)
);
create index outbox_waiting on persistence.outbox (seq) where released and relayed_at is null;
create index outbox_unfinal on persistence.outbox (chain_id, block_number) where not released;
create index outbox_age on persistence.outbox using brin (created_at) with (pages_per_range = 32);
call persistence.protect('persistence.outbox');

-- The first 16 bytes of the sha2-256 of the keys of messages that were sent and are no longer in the outbox: a reindex sends none of them again.
create table persistence.outbox_key (
  tenant_id uuid not null,
  hash bytea not null,
  primary key (tenant_id, hash)
);
call persistence.protect('persistence.outbox_key');

-- The W3C trace of a request, by event id or transaction hash, for work that its transaction causes later.
create table persistence.span_origin (
  tenant_id uuid not null,
  key text not null,
  traceparent text not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, key)
);
create index span_origin_age on persistence.span_origin (created_at);
call persistence.protect('persistence.span_origin');

-- How often what a tenant's readers see has changed: the sum of its rows, which every transaction that changes something makes greater
-- when it is committed. Each connection has its own slot, so that such transactions rarely wait for each other.
create table persistence.revision (
  tenant_id uuid not null,
  slot smallint not null,
  changes bigint not null,
  primary key (tenant_id, slot)
);
call persistence.protect('persistence.revision');

-- Once in each transaction, however many rows it changes.
create function persistence.revise(tenant uuid) returns void language plpgsql as $$
declare
  change constant text := tenant || ' ' || pg_current_xact_id();
begin
  if current_setting('persistence.revised', true) is not distinct from change then
    return;
  end if;
  insert into persistence.revision as r (tenant_id, slot, changes) values (tenant, pg_backend_pid() % 64, 1)
    on conflict (tenant_id, slot) do update set changes = r.changes + 1;
  perform set_config('persistence.revised', change, true);
end $$;

create function persistence.revise_by_row() returns trigger language plpgsql as $$
begin
  perform persistence.revise(coalesce(new.tenant_id, old.tenant_id));
  return null;
end $$;

create function persistence.revise_by_statement() returns trigger language plpgsql as $$
begin
  if persistence.current_tenant() is not null then
    perform persistence.revise(persistence.current_tenant());
  end if;
  return null;
end $$;

-- Call it for a table that answers are made of and that others than the indexer write, which revises the tenants of each block itself.
-- @param changes which: 'insert or update', 'update'. @param of_rows a condition on old and new; null = every change of a tenant's transaction
create procedure persistence.revise_on(target regclass, changes text, of_rows text) language plpgsql as $$
begin
  execute format('create trigger revise after %s on %s for each %s execute function persistence.revise_by_%s()', changes, target,
    case when of_rows is null then 'statement' else format('row when (%s)', of_rows) end, case when of_rows is null then 'statement' else 'row' end);
end $$;
