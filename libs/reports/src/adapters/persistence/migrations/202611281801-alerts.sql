grant usage on schema reports to trace_tenant, trace_system;

-- What rules found, kept by whoever goes around (domain-decisions §6.1): reading them costs the same in a small and a large tenant, and
-- when something was seen first is known. An alert that is over keeps its row for a while.
create table reports.alert (
  tenant_id uuid not null,
  id text not null, -- first 16 hex digits of sha256(type|subject|key)
  source text not null, -- what it was found in: a part of domain/alerts/catalogue.ts
  type text not null,
  severity text not null check (severity in ('critical', 'high', 'medium', 'low')),
  rank smallint not null generated always as (case severity when 'critical' then 0 when 'high' then 1 when 'medium' then 2 else 3 end) stored,
  subject_kind text not null,
  subject_id text not null,
  token_id bigint,
  tlc text,
  key text not null,
  process_type text, -- of an event: who may read about it depends on it
  title text not null,
  detail text not null,
  evidence jsonb not null,
  threshold jsonb not null,
  group_name text not null,
  org_ids text[] not null,
  first_seen_at timestamptz not null, -- for the first time ever
  detected_at timestamptz not null, -- this time
  resolved_at timestamptz, -- null = it stands
  acknowledged_at timestamptz,
  acknowledged_by text, -- user or API key id
  acknowledged_note text,
  muted_until timestamptz, -- until then it is neither listed nor counted
  primary key (tenant_id, id)
);
-- The list, the worst and newest first; the sums; what stands about a subject; and what may be forgotten.
create index alert_standing on reports.alert (tenant_id, rank, detected_at desc, id) where resolved_at is null;
create index alert_sums on reports.alert (tenant_id, type, group_name, severity) include (muted_until, acknowledged_at, first_seen_at) where resolved_at is null;
create index alert_of_subject on reports.alert (tenant_id, source, subject_id, type) where resolved_at is null;
create index alert_over on reports.alert (resolved_at) where resolved_at is not null;
call persistence.protect('reports.alert');

-- Documents that run out, of landed events: found when their day is over, without reading all events again.
create table reports.dated_document (
  tenant_id uuid not null,
  event_id uuid not null,
  type text not null,
  number text not null,
  issuer text,
  valid_to date not null,
  judged boolean not null default false, -- its day is over and it was looked at
  primary key (tenant_id, event_id, type, number)
);
create index dated_document_due on reports.dated_document (tenant_id, valid_to, event_id) where not judged;
call persistence.protect('reports.dated_document');

-- How far each source has been followed, and which part of what stands was looked at again.
create table reports.alert_walk (
  tenant_id uuid not null,
  source text not null,
  place text, -- source's own; null = from the beginning
  again_after text, -- subject id
  rules text, -- digest of the limits it was walked under: other ones begin anew
  primary key (tenant_id, source)
);
call persistence.protect('reports.alert_walk');

-- One row a tenant: when it was evaluated, up to which block, and when it is due again.
create table reports.alert_round (
  tenant_id uuid primary key,
  evaluated_at timestamptz,
  evaluated_block bigint,
  took_ms integer,
  complete boolean not null default false, -- nothing was left over at the end of the last round
  active_lots bigint not null default 0,
  counted_at timestamptz, -- the active lots
  counting_ms integer,
  narration text, -- of a language model, where one is asked
  narrated_by text,
  narrated_at timestamptz,
  narrated_of text, -- digest of the figures: it is asked again when they change
  next_at timestamptz not null
);
create index alert_round_due on reports.alert_round (next_at);
call persistence.protect('reports.alert_round');

-- A tenant's own limits, by the names of domain/alerts/thresholds.ts; absent = the default.
create table reports.alert_limit (
  tenant_id uuid not null,
  name text not null,
  value double precision not null,
  set_at timestamptz not null,
  set_by text not null, -- user or API key id
  primary key (tenant_id, name)
);
call persistence.protect('reports.alert_limit');
