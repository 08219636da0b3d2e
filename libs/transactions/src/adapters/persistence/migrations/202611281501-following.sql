-- What following a transaction over replacement, loss and reorgs takes beside its state.
alter table transactions.tracked
  add column block_time timestamptz,
  add column event_data_hash text, -- what the calldata commits its event to
  add column unseen_since timestamptz; -- first look since it was last seen that did not find it

-- Looked at now and then, because they can come back.
create index tracked_asleep on transactions.tracked (chain_id, last_checked_at) where status in ('dropped', 'replaced');
create index tracked_by_status on transactions.tracked (tenant_id, owner_kind, owner_id, status, submitted_at desc);
