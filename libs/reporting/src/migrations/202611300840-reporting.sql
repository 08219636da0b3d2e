grant usage on schema reporting to trace_tenant, trace_system;

-- Alerts, written by a job (docs/spec/domain.md#alerts): a read costs the same in a small and a large tenant, and the time of the first
-- detection is known. A resolved alert keeps its row for a while.
create table reporting.alert (
  tenant_id uuid not null,
  id text not null, -- first 16 hex digits of sha256(type|subject|key)
  source text not null, -- the source of the rule
  type text not null,
  severity text not null check (severity in ('critical', 'high', 'medium', 'low')),
  rank smallint not null generated always as (case severity when 'critical' then 0 when 'high' then 1 when 'medium' then 2 else 3 end) stored,
  subject_kind text not null,
  subject_id text not null,
  token_id bigint,
  tlc text,
  key text not null,
  process_type text, -- for an event: decides who may read the alert
  title text not null,
  detail text not null,
  evidence jsonb not null,
  threshold jsonb not null,
  group_name text not null,
  org_ids text[] not null,
  first_seen_at timestamptz not null, -- the first time ever
  detected_at timestamptz not null, -- since the last time it was resolved
  resolved_at timestamptz, -- null = open
  acknowledged_at timestamptz,
  acknowledged_by text, -- user or API key id
  acknowledged_note text,
  muted_until timestamptz, -- neither listed nor counted until then
  primary key (tenant_id, id)
);
-- For the list (worst and newest first), the sums, the alerts of a subject, and retention.
create index alert_standing on reporting.alert (tenant_id, rank, detected_at desc, id) where resolved_at is null;
create index alert_sums on reporting.alert (tenant_id, type, group_name, severity) include (muted_until, acknowledged_at, first_seen_at) where resolved_at is null;
create index alert_of_subject on reporting.alert (tenant_id, source, subject_id, type) where resolved_at is null;
create index alert_over on reporting.alert (resolved_at) where resolved_at is not null;
-- For periods, where resolved alerts count too.
create index alert_of_period on reporting.alert (tenant_id, rank, detected_at desc, id);
create index alert_of_group on reporting.alert (tenant_id, type, group_name, rank, detected_at desc, id);
call persistence.protect('reporting.alert');

-- Documents with an expiry date, of landed events: found on their day without reading all events again.
create table reporting.dated_document (
  tenant_id uuid not null,
  event_id uuid not null,
  type text not null,
  number text not null,
  issuer text,
  valid_to date not null,
  judged boolean not null default false, -- expired and evaluated
  primary key (tenant_id, event_id, type, number)
);
create index dated_document_due on reporting.dated_document (tenant_id, valid_to, event_id) where not judged;
call persistence.protect('reporting.dated_document');

-- The cursor of each alert source.
-- Events whose alerts are judged again, because an event that they depend on was corrected.
create table reporting.due_event (
  tenant_id uuid not null,
  event_id uuid not null,
  primary key (tenant_id, event_id)
);
call persistence.protect('reporting.due_event');

create table reporting.alert_cursor (
  tenant_id uuid not null,
  source text not null,
  place text, -- in the format of the source; null = from the beginning
  recheck_after text, -- subject id
  rules text, -- digest of the limits; a change restarts the source
  primary key (tenant_id, source)
);
call persistence.protect('reporting.alert_cursor');

-- One row per tenant: time and block of the last evaluation, and when the next is due.
create table reporting.alert_evaluation (
  tenant_id uuid primary key,
  evaluated_at timestamptz,
  evaluated_block bigint,
  took_ms integer,
  complete boolean not null default false, -- the last evaluation reached the end of all sources
  active_lots bigint not null default 0,
  counted_at timestamptz, -- the active lots
  counting_ms integer,
  narration text, -- by a language model, if one is configured
  narrated_by text,
  narrated_at timestamptz,
  narrated_digest text, -- digest of the figures; a change asks for a new text
  next_at timestamptz not null
);
create index alert_evaluation_due on reporting.alert_evaluation (next_at);
call persistence.protect('reporting.alert_evaluation');

-- Limits set by a tenant; no row = the default.
create table reporting.alert_limit (
  tenant_id uuid not null,
  name text not null,
  value double precision not null,
  set_at timestamptz not null,
  set_by text not null, -- user or API key id
  primary key (tenant_id, name)
);
call persistence.protect('reporting.alert_limit');

-- Every checked pointer with its result (docs/spec/domain.md#data-reference).
create table reporting.pointer (
  tenant_id uuid not null,
  id text not null, -- first 16 hex digits of sha256(kind|subject|value)
  kind text not null check (kind in ('cid', 'dataHash', 'tx', 'nft', 'document', 'ext')),
  subject_kind text not null check (subject_kind in ('lot', 'event')),
  subject_id text not null, -- token id or event id
  token_id bigint,
  tlc text,
  process_type text,
  value text not null,
  resolved boolean,
  matches boolean,
  status text not null check (status in ('ok', 'mismatch', 'unresolved', 'not_checked')),
  rank smallint not null generated always as (case status when 'mismatch' then 0 when 'unresolved' then 1 when 'not_checked' then 2 else 3 end) stored,
  detail text not null,
  org_ids text[] not null,
  checked_at timestamptz not null,
  latency_ms integer, -- of the request for it; null = no request
  -- A pointer belongs to at most one organisation. As a column it can be indexed; an array cannot, under row-level security.
  org_id text not null generated always as (coalesce(org_ids[1], '')) stored,
  primary key (tenant_id, id)
);
create index pointer_listed on reporting.pointer (tenant_id, rank, kind, id);
create index pointer_of_subject on reporting.pointer (tenant_id, subject_kind, subject_id);
create index pointer_oldest on reporting.pointer (tenant_id, checked_at, id);
create index pointer_faulty on reporting.pointer (tenant_id, kind, id) where status in ('mismatch', 'unresolved');
create index pointer_by_value on reporting.pointer (tenant_id, value) where kind = 'ext';
create index pointer_listed_of_org on reporting.pointer (tenant_id, org_id, rank, kind, id);
call persistence.protect('reporting.pointer');

-- The cursor of the pointer check, which visits events by landing and lots by token id, in endless laps.
create table reporting.pointer_cursor (
  tenant_id uuid primary key,
  event_block bigint not null default 0,
  event_id uuid,
  token_id bigint not null default 0,
  lap_started_at timestamptz not null,
  lap_ended_at timestamptz, -- of the last complete lap
  next_at timestamptz not null
);
create index pointer_cursor_due on reporting.pointer_cursor (next_at);
call persistence.protect('reporting.pointer_cursor');

-- The report cache: answers of reports that read all of a large tenant, served until a newer one is computed by a
-- queued job. One row per question.
create table reporting.report_cache (
  tenant_id uuid not null,
  question text not null, -- sha-256 of the parameters and of what the caller may see
  report text not null,
  reported jsonb not null,
  generated_at timestamptz not null,
  as_of_block bigint not null,
  requested_at timestamptz not null,
  primary key (tenant_id, question)
);
create index report_cache_by_use on reporting.report_cache (tenant_id, requested_at desc);
call persistence.protect('reporting.report_cache');

-- Figures of landed events, one row per event, projected from the published views by block, and their sums per UTC day, process and
-- organisation. A period is then a sum over whole days plus the events of its first and last day.
create table reporting.event_fact (
  tenant_id uuid not null,
  event_id uuid not null,
  at timestamptz not null, -- event time, else block time
  process_type text,
  org_id text,
  lots integer not null,
  delay double precision, -- seconds from event time to recording
  on_time boolean,
  kde_required integer,
  kde_present integer,
  documents_required integer not null,
  documents_present integer not null,
  balance_outside boolean, -- null = no balance is required or possible
  carbon_kg double precision, -- kgCO2e, gate to gate
  carbon_output_kg double precision,
  transforms boolean not null, -- has inputs that it uses and outputs
  measured boolean not null, -- for transforming events: every mass is known and the input is not 0
  input_kg double precision,
  main_output_kg double precision,
  co_product_kg double precision,
  declared_loss_kg double precision,
  gap_kg double precision,
  yield double precision,
  yield_outside boolean not null, -- of the range expected by the process
  primary key (tenant_id, event_id)
);
create index event_fact_by_time on reporting.event_fact (tenant_id, at);
create index event_fact_newest on reporting.event_fact (tenant_id, process_type, at desc, event_id) where transforms;
create index event_fact_by_yield on reporting.event_fact (tenant_id, process_type, yield) where measured;
create index event_fact_outside on reporting.event_fact (tenant_id, process_type, at desc, event_id) where measured and yield_outside;
create index event_fact_outside_by_yield on reporting.event_fact (tenant_id, process_type, yield) where measured and yield_outside;
create index event_fact_lacking on reporting.event_fact (tenant_id, at desc, event_id) where documents_present < documents_required;
create index event_fact_lacking_of_org on reporting.event_fact (tenant_id, org_id, at desc, event_id) where documents_present < documents_required;
call persistence.protect('reporting.event_fact');

-- Input of a measured event by process and organisation of origin; null = not made by a measured event.
create table reporting.draw_fact (
  tenant_id uuid not null,
  event_id uuid not null,
  from_process text,
  from_org text,
  kg double precision not null,
  raw_kg double precision not null -- part of kg that is raw material
);
create index draw_fact_of_event on reporting.draw_fact (tenant_id, event_id);
call persistence.protect('reporting.draw_fact');

create table reporting.event_day (
  tenant_id uuid not null,
  day date not null, -- UTC
  process_type text,
  org_id text,
  events bigint not null,
  lots bigint not null,
  on_time bigint not null,
  delays double precision[],
  kde_events bigint not null,
  kde_required bigint not null,
  kde_present bigint not null,
  document_events bigint not null,
  documents_required bigint not null,
  documents_present bigint not null,
  judged bigint not null,
  breaches bigint not null,
  carbon_kg double precision,
  carbon_output_kg double precision,
  transforming bigint not null,
  measured bigint not null,
  input_kg double precision,
  main_output_kg double precision,
  co_product_kg double precision,
  declared_loss_kg double precision,
  gap_kg double precision,
  yields double precision[], -- yields of measured events inside the range expected by the process
  yields_outside double precision[]
);
create index event_day_of on reporting.event_day (tenant_id, day);
call persistence.protect('reporting.event_day');

create table reporting.draw_day (
  tenant_id uuid not null,
  day date not null,
  process_type text not null,
  org_id text,
  from_process text,
  from_org text,
  kg double precision not null,
  raw_kg double precision not null
);
create index draw_day_of on reporting.draw_day (tenant_id, day);
call persistence.protect('reporting.draw_day');

-- Days whose sums must be recomputed.
create table reporting.due_day (
  tenant_id uuid not null,
  day date not null,
  primary key (tenant_id, day)
);
call persistence.protect('reporting.due_day');

-- Events that may change without a later block: not final, or content not found yet.
create table reporting.open_fact (
  tenant_id uuid not null,
  event_id uuid not null,
  -- Late content changes an event without a block.
  resolved boolean not null default true,
  primary key (tenant_id, event_id)
);
create index open_fact_unresolved on reporting.open_fact (tenant_id, event_id) where not resolved;
call persistence.protect('reporting.open_fact');

-- The cursor of each tenant. Sums are complete from `as_of_head` on.
create table reporting.fact_cursor (
  tenant_id uuid primary key,
  place text, -- '<block>:<event id>'; everything up to it is included and final
  seen_head bigint,
  seen_final bigint,
  as_of_head bigint,
  as_of_final bigint
);
call persistence.protect('reporting.fact_cursor');

-- Stock: lots that are not retired or used up, one narrow row per lot, projected from the published views by block, and their sums per
-- day of mint, place, custodian, asset type and status (a cell). A period is a sum over cells plus the lots of its first and last day.
create table reporting.stock_lot (
  tenant_id uuid not null,
  token_id bigint not null,
  cell_id uuid not null,
  remaining numeric,
  mass_kg numeric,
  recalled boolean not null,
  expired boolean not null, -- at the time of the last update
  held boolean not null,
  resolved boolean not null,
  expires_at timestamptz,
  minted_at timestamptz not null,
  day date not null generated always as ((minted_at at time zone 'utc')::date) stored,
  primary key (tenant_id, token_id)
);
create index stock_lot_oldest on reporting.stock_lot (tenant_id, cell_id, day, minted_at);
create index stock_lot_expiring on reporting.stock_lot (tenant_id, cell_id, day, expires_at) where expires_at is not null;
create index stock_lot_made on reporting.stock_lot (tenant_id, minted_at);
create index stock_lot_not_expired on reporting.stock_lot (tenant_id, expires_at) where expires_at is not null and not expired;
create index stock_lot_held on reporting.stock_lot (tenant_id, token_id) where held;
create index stock_lot_unresolved on reporting.stock_lot (tenant_id, token_id) where not resolved;
call persistence.protect('reporting.stock_lot');

create table reporting.stock_cell (
  tenant_id uuid not null,
  cell_id uuid not null, -- digest of the other columns
  place_id uuid, -- null = no event has a location
  place_org text, -- organisation of the event with the location, or of the receiver that stated it
  arrived boolean not null, -- handed over after the event with the location: is at the custodian's site, if there is one
  custodian text not null,
  pending text, -- pending custodian, or the container
  asset_type text,
  asset_type_name text,
  uom text,
  status text not null,
  primary key (tenant_id, cell_id)
);
create index stock_cell_of_place on reporting.stock_cell (tenant_id, place_id);
call persistence.protect('reporting.stock_cell');

create table reporting.stock_sum (
  tenant_id uuid not null,
  day date not null, -- UTC day of mint; -infinity = all days
  cell_id uuid not null,
  lots bigint not null,
  counted bigint not null, -- lots with a quantity
  quantity numeric not null,
  measured bigint not null, -- lots with a mass
  mass_kg numeric not null,
  recalled bigint not null,
  expired bigint not null,
  earliest_expiry timestamptz,
  oldest timestamptz,
  primary key (tenant_id, day, cell_id)
);
create index stock_sum_of_cell on reporting.stock_sum (tenant_id, cell_id);
create index stock_sum_empty on reporting.stock_sum (tenant_id) where lots = 0;
call persistence.protect('reporting.stock_sum');

-- Locations as events write them; different spellings of one place share a key.
create table reporting.stock_place (
  tenant_id uuid not null,
  place_id uuid not null, -- digest of the location
  location_key text not null,
  location jsonb not null,
  primary key (tenant_id, place_id)
);
call persistence.protect('reporting.stock_place');

-- Lots whose row must be updated.
create table reporting.due_lot (
  tenant_id uuid not null,
  token_id bigint not null,
  primary key (tenant_id, token_id)
);
call persistence.protect('reporting.due_lot');

-- Lots whose last change is not final.
create table reporting.open_lot (
  tenant_id uuid not null,
  token_id bigint not null,
  primary key (tenant_id, token_id)
);
call persistence.protect('reporting.open_lot');

-- The cursor of each tenant. Stock is complete from `as_of_head` on.
create table reporting.stock_cursor (
  tenant_id uuid primary key,
  block bigint, -- changes up to here are queued or done, and final
  seen_head bigint,
  seen_final bigint,
  as_of_head bigint,
  as_of_final bigint
);
call persistence.protect('reporting.stock_cursor');

-- One row per event and document. If an event names a document twice, the least and the greatest hash show whether they differ.
create table reporting.document_use (
  tenant_id uuid not null,
  event_id uuid not null,
  document_id uuid not null,
  at timestamptz not null,
  org_id text,
  process_type text,
  valid_from text,
  valid_to text,
  least_sha256 text,
  sha256 text,
  cid text,
  url text,
  visibility text,
  -- Numbers made from the hashes: min and max of text cost ten times as much.
  least_key bigint generated always as (least(hashtextextended(least_sha256, 0), hashtextextended(sha256, 0))) stored,
  greatest_key bigint generated always as (greatest(hashtextextended(least_sha256, 0), hashtextextended(sha256, 0))) stored,
  primary key (tenant_id, event_id, document_id)
);
create index document_use_by_time on reporting.document_use (tenant_id, at);
create index document_use_by_org on reporting.document_use (tenant_id, org_id, at);
create index document_use_newest on reporting.document_use (tenant_id, document_id, at desc, event_id);
call persistence.protect('reporting.document_use');

create table reporting.pointer_tally (
  tenant_id uuid not null,
  org_id text not null, -- '' = none
  day date not null,
  kind text not null,
  status text not null,
  n bigint not null,
  matching bigint not null, -- part of n that was compared and matches
  primary key (tenant_id, org_id, day, kind, status)
);
create index pointer_tally_of_days on reporting.pointer_tally (tenant_id, day);
call persistence.protect('reporting.pointer_tally');

-- Sums of the uses of a document. If a question covers all uses, this row is enough; if it covers a part (by period, organisation or
-- process), the uses are counted.
create table reporting.document (
  tenant_id uuid not null,
  document_id uuid not null, -- of type, number and issuer
  pair_id uuid not null, -- of type and number
  type text collate "C" not null, -- '' = not given, also below
  number text collate "C" not null,
  issuer text collate "C" not null,
  uses bigint not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  one_org boolean not null, -- all uses have org_id
  org_id text,
  one_process boolean not null, -- all uses have process_type
  process_type text,
  begins boolean not null, -- a use has valid_from
  valid_to text collate "C",
  least_key bigint,
  greatest_key bigint,
  pair_shared boolean not null default false, -- another document has this type and number, or had
  primary key (tenant_id, document_id)
);
create index document_of_pair on reporting.document (tenant_id, pair_id, pair_shared);
call persistence.protect('reporting.document');

-- Ended transfers, one narrow row per lot, projected from the published view by block, and their sums per UTC day, sender and recipient.
-- By address: the organisation of a wallet is looked up at read time.
create table reporting.transfer_fact (
  tenant_id uuid not null,
  id text collate "C" not null,
  token_id bigint not null,
  at timestamptz not null, -- when it ended
  giver text,
  taker text,
  status text not null, -- accepted, direct, rejected
  named boolean not null, -- the lot in the call, not the contents of a container
  pending double precision, -- accepted: seconds from offer to acceptance
  in_time boolean not null, -- accepted within the time of the lot's map
  taken numeric, -- share of what was offered that was accepted; null = direct
  mass_kg numeric, -- mass that remained at the time of the transfer
  resolved boolean not null, -- the lot's content was known
  open boolean not null, -- not final
  primary key (tenant_id, id)
);
create index transfer_fact_by_time on reporting.transfer_fact (tenant_id, at);
create index transfer_fact_open on reporting.transfer_fact (tenant_id, id) where open;
create index transfer_fact_unresolved on reporting.transfer_fact (tenant_id, id) where not resolved;
call persistence.protect('reporting.transfer_fact');

create table reporting.transfer_day (
  tenant_id uuid not null,
  day date not null, -- UTC
  giver text,
  taker text,
  completed bigint not null,
  accepted bigint not null,
  rejected bigint not null,
  in_time bigint not null,
  taken numeric not null,
  pendings double precision[],
  mass_kg numeric
);
create index transfer_day_of on reporting.transfer_day (tenant_id, day);
call persistence.protect('reporting.transfer_day');

-- Days whose sums must be recomputed.
create table reporting.due_transfer_day (
  tenant_id uuid not null,
  day date not null,
  primary key (tenant_id, day)
);
call persistence.protect('reporting.due_transfer_day');

-- The cursor of each tenant, as `reporting.fact_cursor`.
create table reporting.transfer_cursor (
  tenant_id uuid primary key,
  place text,
  seen_head bigint,
  seen_final bigint,
  as_of_head bigint,
  as_of_final bigint
);
call persistence.protect('reporting.transfer_cursor');

-- Notices for people: one row a person and matter. Made from the change feed, and from what waits too long.
create table reporting.notice (
  tenant_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  topic text not null check (topic in ('recall', 'transfer', 'document', 'alert', 'webhook', 'import')),
  key text not null, -- of the matter: nobody has two notices of it
  title text not null,
  link text, -- path of a page of the portal
  in_portal boolean not null,
  by_mail boolean not null,
  created_at timestamptz not null,
  read_at timestamptz,
  mail_id uuid, -- of the mail that it is in
  primary key (tenant_id, id),
  unique (tenant_id, user_id, key)
);
create index notice_newest on reporting.notice (tenant_id, user_id, created_at desc, id) where in_portal;
create index notice_to_mail on reporting.notice (created_at) where by_mail and mail_id is null and read_at is null;
create index notice_of_offer on reporting.notice (tenant_id) where topic = 'transfer' and read_at is null;
create index notice_of_mail on reporting.notice (tenant_id, mail_id) where mail_id is not null;
create index notice_age on reporting.notice (created_at);
call persistence.protect('reporting.notice');

-- Where a person wants notices of a topic. Without a row: in the portal and by mail.
create table reporting.notice_choice (
  tenant_id uuid not null,
  user_id uuid not null,
  topic text not null,
  in_portal boolean not null,
  by_mail boolean not null,
  primary key (tenant_id, user_id, topic)
);
call persistence.protect('reporting.notice_choice');

-- Mails with notices. What one says never changes, so that it is the same mail each time it is tried.
create table reporting.notice_mail (
  tenant_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  state text not null check (state in ('waiting', 'sent', 'gone', 'refused', 'failed')),
  attempts integer not null default 0,
  next_at timestamptz not null, -- while it is tried: when another process may try it
  created_at timestamptz not null,
  ended_at timestamptz,
  error text, -- of the last attempt
  primary key (tenant_id, id)
);
create index notice_mail_due on reporting.notice_mail (next_at) where state = 'waiting';
create index notice_mail_newest on reporting.notice_mail (tenant_id, user_id, created_at desc);
create index notice_mail_age on reporting.notice_mail (created_at);
call persistence.protect('reporting.notice_mail');

-- How far the notices of a tenant are.
create table reporting.notice_cursor (
  tenant_id uuid primary key,
  position bigint not null, -- in the change feed
  gathered_at timestamptz not null
);
call persistence.protect('reporting.notice_cursor');

-- Recalls and drills whose holders are asked what they did, and reminded.
create table reporting.recall_request (
  tenant_id uuid not null,
  recall_id uuid not null, -- of the recall or the drill
  is_drill boolean not null,
  asked_at timestamptz not null,
  reminders integer not null default 0,
  next_at timestamptz, -- null: nobody is asked any more
  primary key (tenant_id, recall_id)
);
create index recall_request_due on reporting.recall_request (next_at) where next_at is not null;
call persistence.protect('reporting.recall_request');
