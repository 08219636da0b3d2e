-- Events whose content was not to be had when they landed are asked for again, less and less often.
alter table traceability.event
  add column content_tries smallint not null default 0,
  add column content_next_at timestamptz; -- null = not tried again yet
create index event_unresolved on traceability.event (content_next_at nulls first) where not resolved and block_number is not null;
