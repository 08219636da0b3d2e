grant usage on schema reports to trace_tenant, trace_system;

-- Answers of reports that read the whole of a large tenant: given again until a newer one is there. One row a question.
create table reports.kept_answer (
  tenant_id uuid not null,
  question text not null, -- sha-256 of what was asked, and of what the caller may see
  report text not null,
  reported jsonb not null,
  generated_at timestamptz not null,
  as_of_block bigint not null,
  asked_at timestamptz not null,
  refreshing_until timestamptz, -- somebody computes a newer one; over = that one died
  primary key (tenant_id, question)
);
create index kept_answer_by_use on reports.kept_answer (tenant_id, asked_at desc);
call persistence.protect('reports.kept_answer');
