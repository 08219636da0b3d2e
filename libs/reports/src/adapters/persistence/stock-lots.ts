import { NOWHERE, keyOf } from './location-key.js';

/**
 * What makes lots one cell of stock: where the latest event says, who has them, what they are, and their state. `pending`: who they, or
 * the container they lie in, are offered to.
 */
export const CELL = ['place_id', 'place_org', 'custodian', 'pending', 'asset_type', 'asset_type_name', 'uom', 'status'] as const;

const digest = (of: string): string => `md5(${of})::uuid`;

/** Lots that are there: not containers, not used up, not retired. @param which a condition on `l`; $1 is the tenant */
export const goods = (which: string): string => `
  select l.token_id, l.custodian, l.pending_custodian, l.container_token_id, l.asset_type, l.asset_type_name, l.uom, l.status, l.remaining,
    l.remaining * l.unit_kg as mass_kg, l.recalled_at is not null as recalled, coalesce(l.expires_at <= now(), false) as expired,
    l.held_at is not null as held, l.resolved, l.expires_at, l.minted_at
  from traceability.lot_v1 l
  where l.tenant_id = $1 and not l.is_container and not l.used_up and l.retired_at is null and ${which}`;

/** The goods among some lots with their place and cell; $2 are the token ids. */
export const STOCK_OF = `
  with recursive goods as materialized (
    select g.* from unnest($2::bigint[]) t(token_id) cross join lateral (${goods('l.token_id = t.token_id')} offset 0) g
  ), up as (
    select g.token_id, g.container_token_id as container, 1 as level from goods g where g.container_token_id is not null
    union all
    select u.token_id, c.container_token_id, u.level + 1 from up u cross join lateral (
      select c.container_token_id from traceability.lot_v1 c where c.tenant_id = $1 and c.token_id = u.container and c.container_token_id is not null offset 0) c
    where u.level < 8
  ), moving as (
    select distinct on (u.token_id) u.token_id, c.pending_custodian from up u cross join lateral (
      select c.pending_custodian from traceability.lot_v1 c where c.tenant_id = $1 and c.token_id = u.container and c.pending_custodian is not null offset 0) c
    order by u.token_id, u.level
  ), placed as materialized (
    select g.*, coalesce(g.pending_custodian, m.pending_custodian) as pending, p.location, p.org_id as place_org,
      ${digest('p.location::text')} as place_id
    from goods g left join moving m on m.token_id = g.token_id
    left join traceability.lot_places_v1($1, $2::bigint[]) p on p.token_id = g.token_id
  ), fresh as materialized (
    select p.*, ${digest(`(${CELL.map((name) => `p.${name}`).join(', ')})::text`)} as cell_id,
      (p.minted_at at time zone 'utc')::date as day
    from placed p
  )`;

/** What lots come to, of a relation with the columns of `reports.stock_lot`. */
export const SUMS = `count(*) as lots, count(remaining) as counted, coalesce(sum(remaining), 0) as quantity, count(mass_kg) as measured,
  coalesce(sum(mass_kg), 0) as mass_kg, count(*) filter (where recalled) as recalled, count(*) filter (where expired) as expired`;

export const PLACE_KEY = `coalesce(${keyOf('location')}, '${NOWHERE}')`;
