-- What the uses of a document say together. A document whose uses all lie within a question is counted by this row alone; only one that a
-- question cuts, by its period, its organisation or its processes, is counted by its uses. Written as a table of its own: the whole of it is
-- read for a question, and an update would leave it twice as large.
alter table reports.document rename to document_before;
alter index reports.document_pkey rename to document_before_pkey;
create table reports.document (
  tenant_id uuid not null,
  document_id uuid not null, -- of type, number and issuer
  pair_id uuid not null, -- of type and number
  type text collate "C" not null, -- '' = not said, as the others
  number text collate "C" not null,
  issuer text collate "C" not null,
  uses bigint not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  one_org boolean not null, -- all uses are of org_id, or all of nobody
  org_id text,
  one_process boolean not null, -- all uses are of process_type, or all of none
  process_type text,
  begins boolean not null, -- a use says the first day
  valid_to text collate "C",
  least_key bigint,
  greatest_key bigint,
  pair_shared boolean not null default false, -- another document has this type and number, or had
  primary key (tenant_id, document_id)
);
create index document_of_pair on reports.document (tenant_id, pair_id, pair_shared);
call persistence.protect('reports.document');

set local role trace_system;
insert into reports.document
select d.tenant_id, d.document_id, d.pair_id, d.type, d.number, d.issuer, u.uses, u.first_at, u.last_at, u.one_org, u.org_id, u.one_process,
  u.process_type, u.begins, u.valid_to, u.least_key, u.greatest_key, count(*) over (partition by d.tenant_id, d.pair_id) > 1
from reports.document_before d join (
  select u.tenant_id, u.document_id, count(*) as uses, min(u.at) as first_at, max(u.at) as last_at,
    min(u.org_id) is not distinct from max(u.org_id) and count(u.org_id) in (0, count(*)) as one_org, min(u.org_id) as org_id,
    min(u.process_type) is not distinct from max(u.process_type) and count(u.process_type) in (0, count(*)) as one_process,
    min(u.process_type) as process_type, bool_or(u.valid_from is not null) as begins, max(u.valid_to collate "C") as valid_to,
    min(u.least_key) as least_key, max(u.greatest_key) as greatest_key
  from reports.document_use u group by u.tenant_id, u.document_id
) u on u.tenant_id = d.tenant_id and u.document_id = d.document_id;
reset role;
drop table reports.document_before;
analyze reports.document;
