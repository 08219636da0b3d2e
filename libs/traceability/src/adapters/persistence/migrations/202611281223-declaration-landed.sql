-- What landed once is kept for good: after a reindex the same words are there again.
alter table traceability.error_declaration add column landed boolean not null default false;
