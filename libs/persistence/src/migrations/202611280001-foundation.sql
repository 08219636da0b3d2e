-- The roles trace_tenant and trace_system are made before any migration (roles.ts): they belong to the server, not to this database.
grant usage on schema persistence to trace_tenant, trace_system;

create function persistence.current_tenant() returns uuid language sql stable parallel safe
  as $$ select nullif(current_setting('app.tenant_id', true), '')::uuid $$;

-- Call it for every table with a tenant_id: a tenant's transaction sees its own rows, the system's all of them, and nobody else any,
-- the owner included. The subselect is evaluated once a statement instead of once a row.
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
  primary key (tenant_id, id),
  unique (tenant_id, dedup_key)
);
create index outbox_waiting on persistence.outbox (seq) where released and relayed_at is null;
create index outbox_unfinal on persistence.outbox (chain_id, block_number) where not released;
call persistence.protect('persistence.outbox');
