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
-- A row without an event is a capture in progress; if its process died, another capture takes it over. Kept a little longer than the event.
create table interchange.captured_event (
  tenant_id uuid not null,
  event_hash text not null, -- sha2-256, hexadecimal
  declared_id text, -- the eventID that it came with
  event_id uuid,
  reserved_at timestamptz not null,
  captured_by text not null, -- user or API key id
  event text not null, -- JSON as it came: what is exported again
  context_hash text, -- of the captured_context of its document; null without one
  primary key (tenant_id, event_hash)
);
create index captured_event_by_id on interchange.captured_event (tenant_id, declared_id) where declared_id is not null;
create index captured_event_of on interchange.captured_event (tenant_id, event_id) where event_id is not null;
create index captured_event_context on interchange.captured_event (tenant_id, context_hash) where context_hash is not null;
create index captured_event_age on interchange.captured_event using brin (reserved_at) with (pages_per_range = 32);
call persistence.protect('interchange.captured_event');
call persistence.revise_on('interchange.captured_event', 'update or delete', null);
