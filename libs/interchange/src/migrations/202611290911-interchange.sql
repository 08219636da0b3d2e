grant usage on schema interchange to trace_tenant, trace_system;

-- Captured events by event hash (CBV 2.0 §8.9): the same event is not prepared twice.
-- A row without an event is a capture in progress; if its process died, another capture takes it over. Kept a little longer than the event.
create table interchange.captured_event (
  tenant_id uuid not null,
  event_hash text not null, -- sha2-256, hexadecimal
  declared_id text, -- the eventID that it came with
  event_id uuid,
  reserved_at timestamptz not null,
  captured_by text not null, -- user or API key id
  event text not null, -- JSON as it came, with the namespaces of its document: what is exported again
  primary key (tenant_id, event_hash)
);
create index captured_event_by_id on interchange.captured_event (tenant_id, declared_id) where declared_id is not null;
create index captured_event_of on interchange.captured_event (tenant_id, event_id) where event_id is not null;
create index captured_event_age on interchange.captured_event using brin (reserved_at) with (pages_per_range = 32);
call persistence.protect('interchange.captured_event');
