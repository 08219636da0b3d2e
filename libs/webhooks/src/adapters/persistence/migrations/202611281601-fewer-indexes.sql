-- A delivery is written three times (made, claimed, settled), and each index that has to follow is a good part of the cost.
-- Age is asked for once an hour, by the purge: rows lie in the order of their making, which is what BRIN needs and costs nothing to keep.
drop index webhooks.delivery_age;
drop index webhooks.delivery_of_message;
drop index webhooks.message_age;
create index delivery_age on webhooks.delivery using brin (created_at) with (pages_per_range = 32);
create index message_age on webhooks.message using brin (created_at) with (pages_per_range = 32);
