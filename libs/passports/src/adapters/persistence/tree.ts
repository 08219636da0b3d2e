/** Events of one lot in which an observation is looked for: the latest ones. */
const OBSERVATIONS_OF_A_LOT = 200;

/** Lots that this one was made from, itself first; containers are no ancestors. Parameters: tenant, lot, most. */
export const TREE = `
  with recursive tree(token) as (
    select $2::bigint
    union
    select g.from_token from tree t
    join traceability.edge_v1 g on g.tenant_id = $1 and g.to_token = t.token and g.kind = 'transformation'
  )
  select token from tree limit $3`;

/** Events that made these lots, and those that observed them. Parameters: tenant, lots. */
export const EVENTS_OF_TREE = `
  select distinct l.mint_event_id as id from traceability.lot_v1 l where l.tenant_id = $1 and l.token_id = any($2::bigint[])
  union
  select n.event_id from unnest($2::bigint[]) as t(token)
  cross join lateral (select o.event_id from traceability.event_lot_v1 o where o.tenant_id = $1 and o.token_id = t.token
                      order by o.block_number desc limit ${OBSERVATIONS_OF_A_LOT}) n
  join traceability.event_v1 e on e.tenant_id = $1 and e.id = n.event_id
  where e.kind = 'observation'`;
