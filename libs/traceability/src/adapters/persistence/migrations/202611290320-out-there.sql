-- How much of a lot was sold, exported or lost in part, in millionths of its unit: a recall counts it whatever became of the rest.
-- Rows from before have 0, since the reason of a part was kept nowhere; `cli chain reindex` makes them whole.
alter table traceability.lot add column out_there numeric not null default 0;
