-- Two rights, taken with SET LOCAL ROLE inside each transaction. Neither owns a table, so forced row-level security binds both.
do $$ begin
  if not exists (select from pg_roles where rolname = 'trace_tenant') then create role trace_tenant nologin; end if;
  if not exists (select from pg_roles where rolname = 'trace_system') then create role trace_system nologin; end if;
  execute format('grant trace_tenant, trace_system to %I', current_user);
exception when duplicate_object or unique_violation then null; -- another database of the same cluster made them at the same moment
end $$;

grant usage on schema persistence to trace_tenant, trace_system;

create function persistence.current_tenant() returns uuid language sql stable parallel safe
  as $$ select nullif(current_setting('app.tenant_id', true), '')::uuid $$;

-- Call it for every table with a tenant_id: a tenant's transaction sees its own rows, the system's all of them.
create procedure persistence.protect(target regclass) language plpgsql as $$
begin
  execute format('alter table %s enable row level security', target);
  execute format('alter table %s force row level security', target);
  execute format('create policy of_tenant on %s to trace_tenant using (tenant_id = persistence.current_tenant()) with check (tenant_id = persistence.current_tenant())', target);
  execute format('create policy of_system on %s to trace_system using (true) with check (true)', target);
  execute format('grant select, insert, update, delete on %s to trace_tenant, trace_system', target);
end $$;

create table persistence.outbox (
  id uuid primary key,
  seq bigint generated always as identity,
  tenant_id uuid not null,
  topic text not null,
  dedup_key text not null unique,
  body text not null, -- the exact bytes that are signed and sent
  chain_id bigint,
  block_number bigint,
  released boolean not null,
  relayed_at timestamptz,
  created_at timestamptz not null default now()
);
create index outbox_waiting on persistence.outbox (seq) where released and relayed_at is null;
create index outbox_unfinal on persistence.outbox (chain_id, block_number) where not released;
call persistence.protect('persistence.outbox');
