-- One nonce, one sign-in. Whoever asks for a nonce is nobody yet, so there is no tenant.
create table identity.siwe_nonce (
  nonce text primary key,
  issued_at timestamptz not null
);
create index siwe_nonce_by_age on identity.siwe_nonce (issued_at);
grant select, insert, delete on identity.siwe_nonce to trace_system;

-- A session that a wallet opened reaches only the memberships that hold this wallet: the administrator of one tenant, who
-- binds wallets there, opens no door of another.
alter table identity.session add column wallet text;
