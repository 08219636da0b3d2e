/** How long an offer may wait where the process map does not say. */
const ACCEPT_WITHIN = 'PT72H';

/**
 * Transfers that ended: the columns of `reports.transfer_fact` but for `open`, with the block. What was offered is one transfer, container
 * or lot; its mass is that of the goods that went with it, as much as was left of them then.
 * @param where on t of `custody.transfer_v1`; $1 is the tenant
 */
export const transferFacts = (where: string): string => `
  with accept as materialized (
    select p.map_name, p.map_version, max(coalesce(p.defaults ->> 'custodyAcceptWithin', '${ACCEPT_WITHIN}'))::interval as within
    from traceability.process_v1 p where p.tenant_id = $1 group by 1, 2
  )
  select t.tenant_id, t.id, t.token_id, t.closed_at as at, t.from_address as giver, t.to_address as taker, t.status,
    t.via_container_token_id is null as named,
    case when t.status = 'accepted' then extract(epoch from t.closed_at - t.offered_at)::float8 end as pending,
    t.status = 'accepted' and t.closed_at - t.offered_at <= coalesce(a.within, '${ACCEPT_WITHIN}') as in_time,
    case when t.status <> 'rejected' then v.remaining * v.unit_kg end as mass_kg, coalesce(l.resolved, false) as resolved, t.closed_block as block
  from custody.transfer_v1 t
  left join traceability.lot_v1 l on l.tenant_id = $1 and l.token_id = t.token_id
  left join accept a on a.map_name = l.process_map_name and a.map_version = l.process_map_version
  left join traceability.lot_version_v1 v on v.tenant_id = $1 and v.token_id = t.token_id and not v.is_container
    and (v.from_block, v.from_log) <= (t.closed_block, t.closed_log) and (v.to_block is null or (v.to_block, v.to_log) > (t.closed_block, t.closed_log))
  where t.tenant_id = $1 and t.status in ('accepted', 'direct', 'rejected') and ${where}`;

const DAY = `(f.at at time zone 'utc')::date`;

/** Facts by day, giver and taker: the columns of `reports.transfer_day` but for the tenant. @param facts a relation with `where`, named f */
export const transferDaysOf = (facts: string): string => `
  select ${DAY} as day, f.giver, f.taker, count(*) filter (where f.named and f.status <> 'rejected') as completed,
    count(*) filter (where f.named and f.status = 'accepted') as accepted, count(*) filter (where f.named and f.status = 'rejected') as rejected,
    count(*) filter (where f.named and f.in_time) as in_time, array_agg(f.pending) filter (where f.named and f.pending is not null) as pendings,
    sum(f.mass_kg) as mass_kg
  from ${facts} group by ${DAY}, f.giver, f.taker`;

export const TRANSFER_DAY = 'day, giver, taker, completed, accepted, rejected, in_time, pendings, mass_kg';
