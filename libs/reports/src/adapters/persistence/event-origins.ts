import type { TenantTx } from '#persistence';

/**
 * Sites where the goods that went into events came to be: the places of the creations at the ends of their ancestry, two at most for
 * each, since two are one too many. Walks of more than twenty thousand lots are left out: nothing is said of what was not seen whole.
 */
export async function originsOf(tx: TenantTx, eventIds: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  for (const id of eventIds) {
    const rows = await tx.sql<{ site: string; lots: string }>(ORIGINS, [tx.tenantId, id]);
    if (rows.every(({ lots }) => Number(lots) <= MOST)) found.set(id, rows.map(({ site }) => site).slice(0, 2));
  }
  return found;
}

const MOST = 20_000;

const ORIGINS = `with recursive up as (
    select i.token_id from traceability.event_v1 e, unnest(e.input_token_ids) as i(token_id) where e.tenant_id = $1 and e.id = $2
    union
    select e.from_token from up u join traceability.edge_v1 e on e.tenant_id = $1 and e.to_token = u.token_id and e.kind = 'transformation'
  ), some as (select token_id from up limit ${MOST + 1})
  select coalesce(m.location ->> 'id', m.location ->> 'gln', m.location ->> 'name', 'unknown') as site, (select count(*) from some) as lots
  from some s
  join traceability.lot_v1 l on l.tenant_id = $1 and l.token_id = s.token_id
  join traceability.event_v1 m on m.tenant_id = $1 and m.id = l.mint_event_id and m.kind = 'creation'
  group by 1 order by 1 limit 3`;
