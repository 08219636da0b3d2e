-- Of the outbox row that it was made of.
alter table webhooks.message add column traceparent text;
