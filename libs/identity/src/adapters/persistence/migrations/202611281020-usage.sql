-- What a tenant has used, by calendar month (UTC). Several rows a month, of which each writer takes any: the prepares of a tenant do not
-- wait for each other. Stored bytes are the sum over all months.
create table identity.usage (
  tenant_id uuid not null,
  month date not null,
  slot smallint not null,
  events bigint not null default 0,
  bytes bigint not null default 0,
  primary key (tenant_id, month, slot)
);
call persistence.protect('identity.usage');
