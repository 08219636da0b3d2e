-- Where each of some lots was last: what `lot_place_v1` says of all of them, without reading all. One look-up at a time by its index: of
-- a few lots' versions and events the planner expects a large part of the tenant's.
create function traceability.lot_places_v1(of_tenant uuid, tokens bigint[])
returns table (token_id bigint, event_id uuid, location jsonb, org_id text) language sql stable rows 1000 as $$
  with recursive held as (
    select t.token_id, l.container_token_id as container, l.from_block as since, l.to_block as until, 1 as level
    from unnest(tokens) t(token_id) cross join lateral (
      select l.container_token_id, l.from_block, l.to_block from traceability.lot l
      where l.tenant_id = of_tenant and l.token_id = t.token_id and l.container_token_id is not null offset 0) l
    union all
    select h.token_id, o.container_token_id, greatest(h.since, o.from_block), least(h.until, o.to_block), h.level + 1
    from held h cross join lateral (
      select o.container_token_id, o.from_block, o.to_block from traceability.lot o
      where o.tenant_id = of_tenant and o.token_id = h.container and o.container_token_id is not null offset 0) o
    where h.level < 8 and o.from_block <= coalesce(h.until, o.from_block) and h.since <= coalesce(o.to_block, h.since)
  ), named as materialized (
    select t.token_id, n.event_id from unnest(tokens) t(token_id) cross join lateral (
      select n.event_id from traceability.event_lot n where n.tenant_id = of_tenant and n.token_id = t.token_id offset 0) n
    union
    select h.token_id, n.event_id from held h cross join lateral (
      select n.event_id from traceability.event_lot n where n.tenant_id = of_tenant and n.token_id = h.container
        and n.block_number >= h.since and n.block_number <= coalesce(h.until, n.block_number) offset 0) n
  ), events as materialized (
    select e.* from (select distinct event_id from named) n cross join lateral (
      select e.id, coalesce(e.event_time, e.landed_at) as at, e.block_number, e.log_index, e.location, e.org_id from traceability.event_v1 e
      where e.tenant_id = of_tenant and e.id = n.event_id and e.counts and e.location is not null offset 0) e
  )
  select distinct on (n.token_id) n.token_id, e.id, e.location, e.org_id from named n join events e on e.id = n.event_id
  order by n.token_id, e.at desc, e.block_number desc, e.log_index desc
$$;

-- What lies or ever lay in one of these containers, at any depth.
create function traceability.lots_inside_v1(of_tenant uuid, tokens bigint[]) returns setof bigint language sql stable rows 100 as $$
  with recursive inside(token_id) as (
    select unnest(tokens)
    union
    select l.token_id from inside i cross join lateral (
      select l.token_id from traceability.lot l where l.tenant_id = of_tenant and l.container_token_id = i.token_id offset 0) l
  )
  select token_id from inside except select unnest(tokens)
$$;

-- When something about a lot changed, by block; one may be there several times.
create view traceability.lot_change_v1 with (security_invoker = true) as
select tenant_id, chain_id, token_id, from_block as block_number from traceability.lot;

create view traceability.lot_hold_v1 with (security_invoker = true) as
select tenant_id, token_id, held_at from traceability.lot_hold;

grant select on traceability.lot_change_v1, traceability.lot_hold_v1 to trace_tenant, trace_system;
