-- What a tenant refuses beyond what everybody refuses (domain-decisions §1, §2.1). No row: the defaults.
create table traceability.tenant_rules (
  tenant_id uuid primary key,
  block_expired boolean not null,
  block_recall_affected boolean not null,
  changed_by text not null,
  changed_at timestamptz not null
);
call persistence.protect('traceability.tenant_rules');
