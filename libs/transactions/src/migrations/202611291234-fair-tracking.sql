-- When a hash is looked for again. In the past: with every new head.
alter table transactions.tracked add column next_check_at timestamptz not null default 'epoch';

-- Dropped and replaced transactions are looked for during a week.
update transactions.tracked set next_check_at = '9999-12-31' where status in ('dropped', 'replaced') and coalesce(unseen_since, submitted_at) < now() - interval '7 days';

-- By tenant, so that each poll takes some of every tenant.
create index tracked_due on transactions.tracked (chain_id, tenant_id, next_check_at) where status in ('submitted', 'pending', 'confirming', 'dropped', 'replaced');
create index tracked_new on transactions.tracked (chain_id) where status in ('submitted', 'pending', 'confirming') and last_checked_at is null;
-- How many hashes of a tenant no node has seen yet: they are bounded.
create index tracked_never_seen on transactions.tracked (tenant_id) where status = 'submitted';
-- For the retention: those that are looked for no more.
create index tracked_ended on transactions.tracked (coalesce(confirmed_at, submitted_at)) where status in ('confirmed', 'failed', 'replaced');
create index tracked_dropped on transactions.tracked (submitted_at) where status = 'dropped';

-- The time of the last poll is in no index, so that a poll that changes nothing else costs little.
drop index transactions.tracked_open;
drop index transactions.tracked_asleep;
