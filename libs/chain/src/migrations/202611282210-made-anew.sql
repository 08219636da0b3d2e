-- What was projected is being made anew and has not come to the head of the chain again: whoever goes around waits, or they would take what
-- is not there yet for gone.
alter table chain.cursor add column anew boolean not null default false;
-- A cursor without blocks comes from a dump that left the projection out. Whoever goes around has a tenant's rights.
grant select on chain.block to trace_tenant;
