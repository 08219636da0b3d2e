-- Lists of an organisation walk these newest first, a wallet at a time; the end of a transfer counts, or its offer while it is open.
-- They take the place of the two that knew completed transfers only.
drop index custody.transfer_given;
drop index custody.transfer_received;
create index transfer_from on custody.transfer
  (tenant_id, coalesce(closed_from, offered_from), coalesce(closed_block, offered_block) desc, coalesce(closed_log, offered_log) desc, token_id desc);
create index transfer_to on custody.transfer
  (tenant_id, coalesce(closed_to, offered_to), coalesce(closed_block, offered_block) desc, coalesce(closed_log, offered_log) desc, token_id desc);
-- Open offers are few among many that were answered.
create index transfer_open_from on custody.transfer (tenant_id, offered_from, offered_block desc, offered_log desc, token_id desc) where status = 'pending';
create index transfer_open_to on custody.transfer (tenant_id, offered_to, offered_block desc, offered_log desc, token_id desc) where status = 'pending';
