-- Figures of the landed events of a large tenant, one row an event, followed from the published views by block; and their sums by UTC day,
-- process and organisation. A question about any period is then a sum over days, and over the events of the two days it cuts.
create table reports.event_fact (
  tenant_id uuid not null,
  event_id uuid not null,
  at timestamptz not null, -- its own time, or its block's
  process_type text,
  org_id text,
  lots integer not null,
  delay double precision, -- from its own time to its recording, s
  on_time boolean,
  kde_required integer,
  kde_present integer,
  documents_required integer not null,
  documents_present integer not null,
  balance_outside boolean, -- null = no balance is asked for, or none can be drawn
  carbon_kg double precision, -- kgCO2e, gate to gate
  carbon_output_kg double precision,
  transforms boolean not null, -- draws from lots and makes others
  measured boolean not null, -- of what transforms: every mass is known, and something was drawn
  input_kg double precision,
  main_output_kg double precision,
  co_product_kg double precision,
  declared_loss_kg double precision,
  gap_kg double precision,
  yield double precision,
  yield_outside boolean not null, -- of the range that its process expects
  primary key (tenant_id, event_id)
);
create index event_fact_by_time on reports.event_fact (tenant_id, at);
create index event_fact_newest on reports.event_fact (tenant_id, process_type, at desc, event_id) where transforms;
create index event_fact_by_yield on reports.event_fact (tenant_id, process_type, yield) where measured;
create index event_fact_outside on reports.event_fact (tenant_id, process_type, at desc, event_id) where measured and yield_outside;
create index event_fact_outside_by_yield on reports.event_fact (tenant_id, process_type, yield) where measured and yield_outside;
call persistence.protect('reports.event_fact');

-- What a measured event drew from the lots of one process and organisation; null = of what no measured event made.
create table reports.draw_fact (
  tenant_id uuid not null,
  event_id uuid not null,
  from_process text,
  from_org text,
  kg double precision not null,
  raw_kg double precision not null -- of kg: raw materials
);
create index draw_fact_of_event on reports.draw_fact (tenant_id, event_id);
call persistence.protect('reports.draw_fact');

create table reports.event_day (
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
  yields double precision[], -- of measured events, those within the range that their process expects
  yields_outside double precision[]
);
create index event_day_of on reports.event_day (tenant_id, day);
call persistence.protect('reports.event_day');

create table reports.draw_day (
  tenant_id uuid not null,
  day date not null,
  process_type text not null,
  org_id text,
  from_process text,
  from_org text,
  kg double precision not null,
  raw_kg double precision not null
);
create index draw_day_of on reports.draw_day (tenant_id, day);
call persistence.protect('reports.draw_day');

-- Days whose sums are to be made anew.
create table reports.due_day (
  tenant_id uuid not null,
  day date not null,
  primary key (tenant_id, day)
);
call persistence.protect('reports.due_day');

-- Events that may change without a later block: their block can still be undone, or their content was not found yet.
create table reports.open_fact (
  tenant_id uuid not null,
  event_id uuid not null,
  primary key (tenant_id, event_id)
);
call persistence.protect('reports.open_fact');

-- How far a tenant was followed. Days are read from `as_of_head` on; before that they are not whole.
create table reports.fact_walk (
  tenant_id uuid primary key,
  place text, -- '<block>:<event id>'; all up to it is in, and cannot be undone
  seen_head bigint,
  seen_final bigint,
  as_of_head bigint,
  as_of_final bigint
);
call persistence.protect('reports.fact_walk');
