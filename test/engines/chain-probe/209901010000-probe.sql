grant usage on schema chain_probe to trace_tenant, trace_system;
create table chain_probe.tenant (tenant_id uuid primary key, slug_hash text not null);
create table chain_probe.contract (chain_id bigint, address text, tenant_id uuid not null, block_number bigint not null, primary key (chain_id, address));
create table chain_probe.log (
  tenant_id uuid not null,
  handler text not null,
  chain_id bigint not null,
  contract text not null,
  block_number bigint not null,
  block_hash text not null,
  log_index integer not null,
  tx_log_index integer not null,
  name text not null,
  primary key (tenant_id, handler, chain_id, block_hash, log_index)
);
grant select, insert, delete on chain_probe.tenant, chain_probe.contract to trace_system;
call persistence.protect('chain_probe.log');
