-- Ended transfers of a large tenant, one narrow row a lot, followed from the published view by block; and their sums by UTC day, giver and
-- taker. By address: which organisation a wallet belongs to is asked when the figures are read.
create table reports.transfer_fact (
  tenant_id uuid not null,
  id text collate "C" not null,
  token_id bigint not null,
  at timestamptz not null, -- when it ended
  giver text,
  taker text,
  status text not null, -- accepted, direct, rejected
  named boolean not null, -- the lot that was handed over, not what lay in it
  pending double precision, -- of accepted ones: from the offer on, s
  in_time boolean not null, -- accepted within what the lot's map allows
  mass_kg numeric, -- of goods that went: as much as was left of them then
  resolved boolean not null, -- the lot's content was there
  open boolean not null, -- its block can still be undone
  primary key (tenant_id, id)
);
create index transfer_fact_by_time on reports.transfer_fact (tenant_id, at);
create index transfer_fact_open on reports.transfer_fact (tenant_id, id) where open;
create index transfer_fact_unresolved on reports.transfer_fact (tenant_id, id) where not resolved;
call persistence.protect('reports.transfer_fact');

create table reports.transfer_day (
  tenant_id uuid not null,
  day date not null, -- UTC
  giver text,
  taker text,
  completed bigint not null,
  accepted bigint not null,
  rejected bigint not null,
  in_time bigint not null,
  pendings double precision[],
  mass_kg numeric
);
create index transfer_day_of on reports.transfer_day (tenant_id, day);
call persistence.protect('reports.transfer_day');

-- Days whose sums are to be made anew.
create table reports.due_transfer_day (
  tenant_id uuid not null,
  day date not null,
  primary key (tenant_id, day)
);
call persistence.protect('reports.due_transfer_day');

-- As `reports.fact_walk`.
create table reports.transfer_walk (
  tenant_id uuid primary key,
  place text,
  seen_head bigint,
  seen_final bigint,
  as_of_head bigint,
  as_of_final bigint
);
call persistence.protect('reports.transfer_walk');
