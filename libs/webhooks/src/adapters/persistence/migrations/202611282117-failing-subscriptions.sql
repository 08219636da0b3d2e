-- Subscriptions that listen, and how many of their latest deliveries failed in a row, a hundred at most. No address beyond its host:
-- a path may carry a secret.
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
grant select on webhooks.subscription_health_v1 to trace_tenant, trace_system;
