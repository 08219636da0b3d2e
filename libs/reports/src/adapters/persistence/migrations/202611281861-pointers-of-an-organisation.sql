-- A pointer is of one organisation's record or of nobody's: as a column it has an index, which an array behind row-level security has not.
alter table reports.pointer add column org_id text not null generated always as (coalesce(org_ids[1], '')) stored;
create index pointer_listed_of_org on reports.pointer (tenant_id, org_id, rank, kind, id);

-- How many there are, by organisation and by the UTC day they were checked on; -infinity = all days.
drop table reports.pointer_tally;
create table reports.pointer_tally (
  tenant_id uuid not null,
  org_id text not null, -- '' = nobody's
  day date not null,
  kind text not null,
  status text not null,
  n bigint not null,
  matching bigint not null, -- of n: those that were compared, and match
  primary key (tenant_id, org_id, day, kind, status)
);
create index pointer_tally_of_days on reports.pointer_tally (tenant_id, day);
call persistence.protect('reports.pointer_tally');

set local role trace_system;
insert into reports.pointer_tally
select tenant_id, org_id, coalesce(day, '-infinity'), kind, status, count(*), count(*) filter (where resolved and matches)
from (select *, (checked_at at time zone 'utc')::date as day from reports.pointer) p
group by grouping sets ((tenant_id, org_id, day, kind, status), (tenant_id, org_id, kind, status));
reset role;
