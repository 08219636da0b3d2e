-- The live goods of a large tenant, one narrow row a lot, followed from the published views by block; and what they come to, by the day
-- they were made, place, custodian, kind and state. Stock is then a sum over cells, and over the lots of the two days that a period cuts.
create table reports.stock_lot (
  tenant_id uuid not null,
  token_id bigint not null,
  cell_id uuid not null,
  remaining numeric,
  mass_kg numeric,
  recalled boolean not null,
  expired boolean not null, -- when it was looked at
  held boolean not null,
  resolved boolean not null,
  expires_at timestamptz,
  minted_at timestamptz not null,
  day date not null generated always as ((minted_at at time zone 'utc')::date) stored,
  primary key (tenant_id, token_id)
);
create index stock_lot_oldest on reports.stock_lot (tenant_id, cell_id, day, minted_at);
create index stock_lot_expiring on reports.stock_lot (tenant_id, cell_id, day, expires_at) where expires_at is not null;
create index stock_lot_made on reports.stock_lot (tenant_id, minted_at);
create index stock_lot_not_expired on reports.stock_lot (tenant_id, expires_at) where expires_at is not null and not expired;
create index stock_lot_held on reports.stock_lot (tenant_id, token_id) where held;
create index stock_lot_unresolved on reports.stock_lot (tenant_id, token_id) where not resolved;
call persistence.protect('reports.stock_lot');

create table reports.stock_cell (
  tenant_id uuid not null,
  cell_id uuid not null, -- digest of the rest
  place_id uuid, -- null = no event says where
  place_org text, -- whose event said so
  custodian text not null,
  pending text, -- who it is offered to, or the container that it lies in
  asset_type text,
  asset_type_name text,
  uom text,
  status text not null,
  primary key (tenant_id, cell_id)
);
create index stock_cell_of_place on reports.stock_cell (tenant_id, place_id);
call persistence.protect('reports.stock_cell');

create table reports.stock_sum (
  tenant_id uuid not null,
  day date not null, -- UTC, when the lots were made; -infinity = all days
  cell_id uuid not null,
  lots bigint not null,
  counted bigint not null, -- of lots: those with a quantity
  quantity numeric not null,
  measured bigint not null, -- of lots: those with a mass
  mass_kg numeric not null,
  recalled bigint not null,
  expired bigint not null,
  earliest_expiry timestamptz,
  oldest timestamptz,
  primary key (tenant_id, day, cell_id)
);
create index stock_sum_of_cell on reports.stock_sum (tenant_id, cell_id);
create index stock_sum_empty on reports.stock_sum (tenant_id) where lots = 0;
call persistence.protect('reports.stock_sum');

-- A place as events write it; different words for one place have one key.
create table reports.stock_place (
  tenant_id uuid not null,
  place_id uuid not null, -- digest of the words
  location_key text not null,
  location jsonb not null,
  primary key (tenant_id, place_id)
);
call persistence.protect('reports.stock_place');

-- Lots to look at.
create table reports.due_lot (
  tenant_id uuid not null,
  token_id bigint not null,
  primary key (tenant_id, token_id)
);
call persistence.protect('reports.due_lot');

-- Lots whose last change can still be undone.
create table reports.open_lot (
  tenant_id uuid not null,
  token_id bigint not null,
  primary key (tenant_id, token_id)
);
call persistence.protect('reports.open_lot');

-- How far the lots of a tenant were followed. Stock is read from `as_of_head` on; before that it is not whole.
create table reports.stock_walk (
  tenant_id uuid primary key,
  block bigint, -- changes up to here are due, done, or were; none of them can be undone
  seen_head bigint,
  seen_final bigint,
  as_of_head bigint,
  as_of_final bigint
);
call persistence.protect('reports.stock_walk');

-- Content that comes late changes an event without a block.
alter table reports.open_fact add column resolved boolean not null default true;
create index open_fact_unresolved on reports.open_fact (tenant_id, event_id) where not resolved;

-- Documents that the landed events of a large tenant refer to. By digests: their words may be longer than an index takes.
create table reports.document (
  tenant_id uuid not null,
  document_id uuid not null, -- of type, number and issuer
  pair_id uuid not null, -- of type and number
  type text collate "C" not null, -- '' = not said, as the others
  number text collate "C" not null,
  issuer text collate "C" not null,
  primary key (tenant_id, document_id)
);
call persistence.protect('reports.document');

-- One row an event and document; what an event says of it twice is one: the least and the greatest hash tell whether it differs.
create table reports.document_use (
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
  primary key (tenant_id, event_id, document_id)
);
create index document_use_by_time on reports.document_use (tenant_id, at);
create index document_use_by_org on reports.document_use (tenant_id, org_id, at);
create index document_use_newest on reports.document_use (tenant_id, document_id, at desc, event_id);
call persistence.protect('reports.document_use');

create index event_fact_lacking on reports.event_fact (tenant_id, at desc, event_id) where documents_present < documents_required;
create index event_fact_lacking_of_org on reports.event_fact (tenant_id, org_id, at desc, event_id) where documents_present < documents_required;

-- Events that were followed before have no documents here: all are followed anew.
set local role trace_system;
update reports.fact_walk set place = null, seen_head = null, seen_final = null, as_of_head = null, as_of_final = null;
reset role;
