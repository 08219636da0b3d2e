grant usage on schema interchange to trace_tenant, trace_system;

-- Events captured from outside, by their event hash (CBV 2.0 §8.9): the same one is not prepared twice, whoever tells it and however.
-- A row without an event is a capture on its way; one that died there is taken over later. Kept as long as its event.
create table interchange.captured_event (
  tenant_id uuid not null,
  event_hash text not null, -- sha2-256, hexadecimal
  declared_id text, -- the eventID that it came with
  event_id uuid,
  reserved_at timestamptz not null,
  captured_by text not null, -- user or API key id
  primary key (tenant_id, event_hash)
);
create index captured_event_by_id on interchange.captured_event (tenant_id, declared_id) where declared_id is not null;
call persistence.protect('interchange.captured_event');
