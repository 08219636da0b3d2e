-- One-time links for a forgotten password; the token itself is not kept, and a used or expired one is deleted.
create table identity.password_reset (
  token_hash bytea primary key,
  user_id uuid not null references identity.app_user (id),
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index password_reset_by_user on identity.password_reset (user_id);
create index password_reset_by_expiry on identity.password_reset (expires_at);
grant select, insert, delete on identity.password_reset to trace_system;
