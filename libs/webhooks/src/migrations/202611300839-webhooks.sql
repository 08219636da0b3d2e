grant usage on schema webhooks to trace_tenant, trace_system;

create table webhooks.subscription (
  tenant_id uuid not null,
  id uuid not null,
  url text not null,
  events text[] not null,
  active boolean not null,
  paused_since timestamptz,
  paused_reason text,
  failing_since timestamptz,
  sealed_secret text,
  sealed_previous_secret text,
  previous_secret_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  primary key (tenant_id, id),
  check (sealed_secret is not null or deleted_at is not null)
);
create index subscription_listening on webhooks.subscription using gin (events) where active and deleted_at is null;
call persistence.protect('webhooks.subscription');

-- The body is stored once for the change feed and for all deliveries of a message, so that an update of a delivery rewrites a short row.
create table webhooks.message (
  tenant_id uuid not null,
  id uuid not null,
  -- Its place in the change feed of its tenant, without gaps; null for what is not in it: a test of a subscription, or a change that is too old.
  position bigint,
  topic text not null,
  body text not null, -- never json: the exact bytes that are signed and sent
  created_at timestamptz not null,
  -- The traceparent of the outbox row.
  traceparent text,
  primary key (tenant_id, id)
);
create index message_age on webhooks.message using brin (created_at) with (pages_per_range = 32);
create index message_left on webhooks.message (created_at) where position is null;
create unique index message_place on webhooks.message (tenant_id, position) where position is not null;
call persistence.protect('webhooks.message');

-- The change feed of a tenant: its last place, and the first one that it still has.
create table webhooks.feed (
  tenant_id uuid primary key,
  last_position bigint not null,
  kept_from bigint not null default 1
);
call persistence.protect('webhooks.feed');

-- Readers of the feed that let the service remember how far they came.
create table webhooks.consumer (
  tenant_id uuid not null,
  owner_id uuid not null, -- user or API key
  name text not null,
  topics text[], -- null = all that its owner may read
  position bigint not null, -- of the last change that it acknowledged
  created_at timestamptz not null,
  used_at timestamptz not null,
  primary key (tenant_id, owner_id, name)
);
create index consumer_used on webhooks.consumer (used_at);
call persistence.protect('webhooks.consumer');

create table webhooks.delivery (
  tenant_id uuid not null,
  id uuid not null,
  subscription_id uuid not null,
  message_id uuid not null,
  event text not null,
  url text not null,
  status text not null check (status in ('pending', 'sending', 'retrying', 'delivered', 'failed', 'discarded')),
  attempt smallint not null default 0, -- automatic ones, counted before they are sent
  resends int not null default 0, -- requested by an admin
  manual boolean not null default false, -- the next or running attempt was requested: it is sent even if the subscription is paused or inactive
  next_attempt_at timestamptz, -- null while waiting: held, because the subscription is paused
  leased_until timestamptz,
  started_at timestamptz,
  delivered_at timestamptz,
  status_code smallint,
  response_body text,
  error text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
create index delivery_recent on webhooks.delivery (tenant_id, subscription_id, created_at desc, id desc);
create index delivery_waiting on webhooks.delivery (tenant_id, subscription_id, next_attempt_at) where status in ('pending', 'retrying');
create index delivery_in_flight on webhooks.delivery (tenant_id, subscription_id) where status = 'sending';
create index delivery_age on webhooks.delivery using brin (created_at) with (pages_per_range = 32);
call persistence.protect('webhooks.delivery');

create table webhooks.attempt (
  tenant_id uuid not null,
  delivery_id uuid not null,
  number int not null, -- over all attempts, automatic or requested
  manual boolean not null,
  status_code smallint,
  response_body text,
  error text,
  started_at timestamptz not null,
  duration_ms int not null,
  primary key (tenant_id, delivery_id, number)
);
call persistence.protect('webhooks.attempt');

-- The published view. Active subscriptions with the number of latest deliveries that failed in a row, at most 100. Only the host of the
-- URL, because a path may carry a secret.
create view webhooks.subscription_health_v1 with (security_invoker = true) as
select s.tenant_id, s.id, substring(s.url from '^[a-z]+://(?:[^@/]*@)?([^/?#]+)') as host, s.paused_since,
  f.failed_in_a_row, f.failing_since, f.last_error
from webhooks.subscription s
cross join lateral (
  select count(*)::int as failed_in_a_row, min(created_at) as failing_since, (array_agg(error order by created_at desc, id desc))[1] as last_error
  from (
    select id, status, error, created_at, bool_or(status = 'delivered') over (order by created_at desc, id desc) as answered
    from (
      select id, status, error, created_at from webhooks.delivery d
      where d.tenant_id = s.tenant_id and d.subscription_id = s.id and d.status in ('delivered', 'failed')
      order by created_at desc, id desc limit 100
    ) latest
  ) settled
  where not answered
) f
where s.active and s.deleted_at is null;

-- The change feed: final changes of a tenant, each once, by their place.
create view webhooks.change_v1 with (security_invoker = true) as
select tenant_id, position, topic, body, created_at from webhooks.message where position is not null;

create view webhooks.feed_v1 with (security_invoker = true) as
select tenant_id, last_position from webhooks.feed;

grant select on webhooks.subscription_health_v1, webhooks.change_v1, webhooks.feed_v1 to trace_tenant, trace_system;
