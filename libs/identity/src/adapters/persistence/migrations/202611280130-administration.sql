-- What each account may do in the tenants' contracts, as the chain said it: a row per change, undone by block. The newest row counts.
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
  -- One call sets many processes, each with a log of its own.
  primary key (tenant_id, contract, account, process_id, block_number, log_index)
);
create index chain_process_scope_by_block on identity.chain_process_scope (chain_id, block_number);
call persistence.protect('identity.chain_process_scope');

-- A custodian's new address, and who was rebound by it: taken back with its block.
create table identity.wallet_move (
  tenant_id uuid not null,
  contract text not null,
  from_address text not null,
  to_address text not null,
  block_number bigint not null,
  log_index int not null,
  chain_id bigint not null,
  member_ids uuid[] not null,
  bound boolean not null, -- whether the new address was bound by this move
  primary key (tenant_id, contract, from_address, block_number, log_index)
);
create index wallet_move_by_block on identity.wallet_move (chain_id, block_number);
call persistence.protect('identity.wallet_move');
-- A wallet that moves changes what its member may sign for, and the projection works with the tenant's rights.
grant insert on identity.revocation to trace_tenant;

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

-- What happened to the tenant's security: never changed, never deleted, not even by the system.
create table identity.audit_entry (
  tenant_id uuid not null references identity.tenant (id),
  id uuid not null,
  seq bigint generated always as identity,
  at timestamptz not null,
  action text not null,
  actor_kind text not null check (actor_kind in ('user', 'api_key', 'platform', 'operator')),
  actor_id text,
  subject text,
  details jsonb not null,
  primary key (tenant_id, id)
);
create index audit_entry_newest on identity.audit_entry (tenant_id, at desc, seq desc);
create index audit_entry_by_action on identity.audit_entry (tenant_id, action, at desc);
call persistence.protect('identity.audit_entry');
revoke update, delete on identity.audit_entry from trace_tenant, trace_system;
create function identity.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is append-only';
end $$;
create trigger append_only before update or delete on identity.audit_entry for each row execute function identity.refuse_change();
create trigger append_only_whole before truncate on identity.audit_entry for each statement execute function identity.refuse_change();
