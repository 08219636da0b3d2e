-- Why an event was declared wrong, as it was prepared: the chain carries only the hash of it. Landing takes the words from here.
create table traceability.error_declaration (
  tenant_id uuid not null,
  event_id uuid not null,
  data_hash text not null, -- sha2-256 of the stored declaration, lower-case hex
  reason text not null check (reason in ('did_not_occur', 'incorrect_data')), -- CBV error reasons
  corrective_event_ids uuid[] not null,
  prepared_at timestamptz not null,
  prepared_by text not null, -- user or API key id
  primary key (tenant_id, event_id, data_hash)
);
create index error_declaration_by_age on traceability.error_declaration (prepared_at);
call persistence.protect('traceability.error_declaration');

-- Of an event that corrects another one's content: the reason that becomes the other's error declaration.
alter table traceability.event add column declared_reason text check (declared_reason in ('did_not_occur', 'incorrect_data'));
