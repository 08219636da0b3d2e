grant usage on schema http to trace_tenant, trace_system;

-- What was answered to a POST with an Idempotency-Key, or that it is still being worked on.
create table http.answer (
  tenant_id uuid not null, -- zero: a platform administrator outside of any tenant
  principal_id text not null,
  route text not null,
  key text not null,
  fingerprint text not null, -- HMAC of the request, never a bare hash: a body may hold a password
  claim uuid not null, -- who works on it; whoever lost it writes nothing any more
  leased_until timestamptz not null,
  status smallint, -- null: still running
  content_type text,
  body text, -- without secrets
  expires_at timestamptz not null,
  primary key (tenant_id, principal_id, route, key)
);
create index answer_age on http.answer (expires_at);
call persistence.protect('http.answer');
