grant usage on schema http to trace_tenant, trace_system;

-- Answers to POST requests with an Idempotency-Key, and requests still in progress.
create table http.answer (
  tenant_id uuid not null, -- zero = a platform administrator outside of any tenant
  principal_id text not null,
  route text not null,
  key text not null,
  fingerprint text not null, -- HMAC of the request, never a bare hash: a body may hold a password
  lease uuid not null, -- lease of the process that works on it; a process that lost it writes nothing
  leased_until timestamptz not null,
  status smallint, -- null: still running
  content_type text,
  body text, -- without secrets
  expires_at timestamptz not null,
  primary key (tenant_id, principal_id, route, key)
);
create index answer_age on http.answer (expires_at);
call persistence.protect('http.answer');
