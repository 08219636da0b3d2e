-- Notices that could not be read when their recall landed are asked for again, less and less often.
alter table recall.recall
  add column notice_tries smallint not null default 0,
  add column notice_next_at timestamptz; -- null = not tried again yet
create index recall_notice_due on recall.recall (notice_next_at nulls first) where not resolved;
