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

-- A topic's bytes stand here once for all its deliveries, so that moving a delivery through its states rewrites a short row.
create table webhooks.message (
  tenant_id uuid not null,
  id uuid not null,
  topic text not null,
  body text not null, -- never json: the exact bytes that are signed and sent
  created_at timestamptz not null,
  primary key (tenant_id, id)
);
create index message_age on webhooks.message (created_at);
call persistence.protect('webhooks.message');

create table webhooks.delivery (
  tenant_id uuid not null,
  id uuid not null,
  subscription_id uuid not null,
  message_id uuid not null,
  event text not null,
  url text not null,
  status text not null check (status in ('pending', 'sending', 'retrying', 'delivered', 'failed', 'discarded')),
  attempt smallint not null default 0, -- automatic ones, counted before they are sent
  resends int not null default 0, -- those that an admin asked for
  manual boolean not null default false, -- the next or running attempt was asked for: it goes out although the subscription is paused or inactive
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
create index delivery_of_message on webhooks.delivery (tenant_id, message_id);
create index delivery_age on webhooks.delivery (created_at);
call persistence.protect('webhooks.delivery');

create table webhooks.attempt (
  tenant_id uuid not null,
  delivery_id uuid not null,
  number int not null, -- of all attempts, asked for or not
  manual boolean not null,
  status_code smallint,
  response_body text,
  error text,
  started_at timestamptz not null,
  duration_ms int not null,
  primary key (tenant_id, delivery_id, number)
);
call persistence.protect('webhooks.attempt');
