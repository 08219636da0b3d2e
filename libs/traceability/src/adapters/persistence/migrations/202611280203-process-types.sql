-- Who owns a process type key: keys are unique over the tenant ignoring case, for ever, since old events refer to them.
create table traceability.process_type (
  tenant_id uuid not null,
  folded text not null, -- lower case
  process_type text not null,
  process_id text not null, -- keccak256(utf8(process_type)), lower-case hex
  map_name text not null,
  primary key (tenant_id, folded)
);
create unique index process_type_by_id on traceability.process_type (tenant_id, process_id);
call persistence.protect('traceability.process_type');
