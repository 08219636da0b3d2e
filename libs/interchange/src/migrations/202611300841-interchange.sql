grant usage on schema interchange to trace_tenant, trace_system;

-- `@context` of captured documents beyond that of EPCIS: what the prefixes of their events mean. One row for all events and documents that
-- say the same. Deleted when no captured event refers to it any more.
create table interchange.captured_context (
  tenant_id uuid not null,
  hash text not null, -- of `contexts`, sha2-256, hexadecimal
  contexts text not null, -- a JSON list, as it came
  used_at timestamptz not null, -- last capture of a document with it
  primary key (tenant_id, hash)
);
create index captured_context_age on interchange.captured_context (used_at);
call persistence.protect('interchange.captured_context');

-- Captured events by event hash (CBV 2.0 §8.9): the same event is not prepared twice.
-- A row without an event is a capture in progress; if its process died, its job or another capture takes it over. Kept a little longer than the event.
create table interchange.captured_event (
  tenant_id uuid not null,
  event_hash text not null, -- sha2-256, hexadecimal
  declared_id text, -- the eventID that it came with
  event_id uuid,
  reserved_at timestamptz not null,
  captured_by text not null, -- user or API key id
  event text not null, -- JSON as it came: what is exported again
  context_hash text, -- of the captured_context of its document; null without one
  job_id uuid, -- the capture job that reserved it; null: a request
  primary key (tenant_id, event_hash)
);
create index captured_event_by_id on interchange.captured_event (tenant_id, declared_id) where declared_id is not null;
create index captured_event_of on interchange.captured_event (tenant_id, event_id) where event_id is not null;
create index captured_event_context on interchange.captured_event (tenant_id, context_hash) where context_hash is not null;
create index captured_event_age on interchange.captured_event using brin (reserved_at) with (pages_per_range = 32);
call persistence.protect('interchange.captured_event');
call persistence.revise_on('interchange.captured_event', 'update or delete', null);

-- The EPCIS repository: what queries find events by. Recorded events, custody and recalls are written by a projector that follows the chain;
-- kept events came by capture and fit no process. A row an audience: everybody, those who read the whole event, and the rest, who
-- read what its process map calls public.
create table interchange.epcis_event (
  tenant_id uuid not null,
  key text collate "C" not null, -- `event:<id>`, `offered:<id>`, `closed:<id>`, `recall:<id>`, `kept:<hash>`
  audience text not null check (audience in ('all', 'whole', 'rest')),
  org_id text, -- whose event it is
  process_type text,
  is_scoped boolean not null, -- whether the reader's processes count
  block_number bigint, -- of its last change; null: kept, and not on chain
  is_unresolved boolean not null default false, -- its content was not found yet
  event_id text not null, -- eventID
  type text not null,
  action text,
  event_time timestamptz not null, -- to the millisecond, as pages continue by it
  record_time timestamptz not null,
  biz_step text, -- words of the CBV in full
  disposition text,
  read_point text collate "C", -- GS1 keys as canonical Digital Links
  biz_location text collate "C",
  terms text[] not null, -- `<field>=<value>`, and `<field>` for what exists
  event text not null, -- JSON as it goes out; `https://self-0c7f1c1e.invalid` is the address of this service
  primary key (tenant_id, key, audience)
);
create index epcis_event_by_time on interchange.epcis_event (tenant_id, event_time desc, key);
create index epcis_event_by_record on interchange.epcis_event (tenant_id, record_time desc, key);
create index epcis_event_by_step on interchange.epcis_event (tenant_id, biz_step, event_time desc, key);
create index epcis_event_by_disposition on interchange.epcis_event (tenant_id, disposition, event_time desc, key);
create index epcis_event_by_type on interchange.epcis_event (tenant_id, type, event_time desc, key);
create index epcis_event_by_read_point on interchange.epcis_event (tenant_id, read_point, event_time desc, key) where read_point is not null;
create index epcis_event_by_location on interchange.epcis_event (tenant_id, biz_location, event_time desc, key) where biz_location is not null;
create index epcis_event_by_id on interchange.epcis_event (tenant_id, event_id);
create index epcis_event_by_term on interchange.epcis_event using gin (terms);
create index epcis_event_by_block on interchange.epcis_event (tenant_id, block_number) where block_number is not null;
create index epcis_event_kept on interchange.epcis_event (record_time) where block_number is null;
create index epcis_event_unresolved on interchange.epcis_event (tenant_id, key) where is_unresolved;
call persistence.protect('interchange.epcis_event');

-- Things, documents and parties that an event names, each by the list that names it.
create table interchange.epcis_name (
  tenant_id uuid not null,
  name text collate "C" not null, -- canonical Digital Link, or the URI as it came
  role text not null, -- `epc`, `parent`, `input`, `output`, `class`, `inputClass`, `outputClass`; of documents and parties `bizTransaction_<type>`, `source_<type>`, `destination_<type>`
  key text collate "C" not null,
  audience text not null,
  primary key (tenant_id, name, role, key, audience)
);
create index epcis_name_of on interchange.epcis_name (tenant_id, key);
call persistence.protect('interchange.epcis_name');

-- What can be less or greater than a parameter: quantities, measurements, times (milliseconds since 1970), numbers of extensions.
create table interchange.epcis_value (
  tenant_id uuid not null,
  field text not null,
  value double precision not null,
  key text collate "C" not null,
  audience text not null
);
create index epcis_value_by_field on interchange.epcis_value (tenant_id, field, value);
create index epcis_value_of on interchange.epcis_value (tenant_id, key);
call persistence.protect('interchange.epcis_value');

-- How far the projector has followed the chain.
create table interchange.epcis_cursor (
  tenant_id uuid primary key,
  final_block bigint not null default -1, -- everything up to here is included and final
  seen_head bigint, -- position of the chain at the last complete pass
  seen_final bigint
);
call persistence.protect('interchange.epcis_cursor');

-- Events to write again, apart from those of new blocks: values of them were erased.
create table interchange.epcis_due (
  tenant_id uuid not null,
  event_id uuid not null,
  primary key (tenant_id, event_id)
);
call persistence.protect('interchange.epcis_due');

-- Documents that were sent to the repository, and what became of them.
create table interchange.capture_job (
  tenant_id uuid not null,
  id uuid not null,
  created_at timestamptz not null,
  finished_at timestamptz, -- null: not finished
  captured_by text not null, -- user or API key id
  org_id text,
  error_behaviour text not null, -- `rollback`, `proceed`
  success boolean not null,
  request text, -- JSON of the document and of the actor whose rights count; null: finished
  events text not null, -- JSON list: what became of each event
  primary key (tenant_id, id)
);
create index capture_job_unfinished on interchange.capture_job (tenant_id, created_at) where finished_at is null;
create index capture_job_by_time on interchange.capture_job (tenant_id, created_at desc, id);
create index capture_job_age on interchange.capture_job using brin (created_at) with (pages_per_range = 32);
call persistence.protect('interchange.capture_job');

-- Events that an unfinished job has prepared, a row a batch: written with the events, so that a job whose process died continues behind them.
create table interchange.capture_progress (
  tenant_id uuid not null,
  job_id uuid not null,
  place bigint generated always as identity,
  events text not null, -- JSON list: each with its hash
  primary key (tenant_id, job_id, place),
  foreign key (tenant_id, job_id) references interchange.capture_job on delete cascade
);
call persistence.protect('interchange.capture_progress');

-- Queries that a tenant gave a name.
create table interchange.epcis_query (
  tenant_id uuid not null,
  name text collate "C" not null,
  query text not null, -- JSON: parameters of SimpleEventQuery, and namespaces of extensions
  created_at timestamptz not null,
  created_by text not null, -- user or API key id
  primary key (tenant_id, name)
);
call persistence.protect('interchange.epcis_query');

-- Webhooks that get what a query finds of new events.
create table interchange.epcis_subscription (
  tenant_id uuid not null,
  id uuid not null,
  query_name text collate "C" not null,
  webhook_id uuid not null,
  schedule text, -- JSON; null: as soon as there is something
  next_due_at timestamptz, -- of a schedule
  report_if_empty boolean not null,
  sent_at timestamptz, -- the last results
  since timestamptz not null, -- events that were written later are examined
  origin text not null, -- address of the service as its subscriber knows it
  created_at timestamptz not null,
  created_by text not null, -- user or API key id
  primary key (tenant_id, id),
  foreign key (tenant_id, query_name) references interchange.epcis_query
);
create index epcis_subscription_of on interchange.epcis_subscription (tenant_id, query_name);
call persistence.protect('interchange.epcis_subscription');

-- Events that a subscription has not examined yet.
create table interchange.epcis_pending (
  tenant_id uuid not null,
  subscription_id uuid not null,
  key text collate "C" not null,
  place bigint generated always as identity,
  is_done boolean not null default false, -- sent while it was kept only; here until its block is final
  primary key (tenant_id, subscription_id, key),
  foreign key (tenant_id, subscription_id) references interchange.epcis_subscription on delete cascade
);
create index epcis_pending_next on interchange.epcis_pending (tenant_id, subscription_id, place) where not is_done;
create index epcis_pending_key on interchange.epcis_pending (tenant_id, key);
call persistence.protect('interchange.epcis_pending');

-- How the columns of a partner's files are read. A version never changes.
create table interchange.import_mapping (
  tenant_id uuid not null,
  id uuid not null,
  name text not null,
  partner text not null, -- whose files; empty: anybody's
  version integer not null,
  mapping jsonb, -- null: it was deleted, and its version is not used again while its name has another
  created_by text not null, -- user or API key id
  created_at timestamptz not null default now(),
  primary key (tenant_id, id)
);
-- Not unique: names of which an erasure took a person read the same. Who saves one holds a lock of the tenant.
create index import_mapping_by_name on interchange.import_mapping (tenant_id, partner, name, version);
call persistence.protect('interchange.import_mapping');

-- A file that becomes events: its task, and how far it is.
create table interchange.import (
  tenant_id uuid not null,
  id uuid not null,
  file_id uuid not null, -- of documents.file
  name text not null,
  size bigint not null,
  format text,
  task text not null check (task in ('propose', 'check', 'prepare')),
  state text not null check (state in ('waiting', 'running', 'proposed', 'checked', 'prepared', 'failed', 'cancelled')),
  process_type text,
  mapping jsonb,
  proposal jsonb,
  counts jsonb not null,
  remarks jsonb not null,
  failure jsonb,
  stopping boolean not null default false, -- it ends at the next batch of rows
  org_id uuid,
  created_by text not null, -- user or API key id
  created_at timestamptz not null,
  changed_at timestamptz not null,
  primary key (tenant_id, id)
);
create index import_newest on interchange.import (tenant_id, created_at desc, id);
create index import_age on interchange.import (created_at);
call persistence.protect('interchange.import');

-- Rows with problems, and those whose event was prepared.
create table interchange.import_row (
  tenant_id uuid not null,
  import_id uuid not null,
  row integer not null, -- as a spreadsheet numbers it
  event_id uuid,
  prepared jsonb, -- the answer that prepared it
  problems jsonb not null,
  primary key (tenant_id, import_id, row),
  foreign key (tenant_id, import_id) references interchange.import on delete cascade
);
call persistence.protect('interchange.import_row');
