import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { eventFigures } from '../event-facts/event-figures.queries.js';
import type { AsOf, ReportScope } from '../reports/report.js';
import { UNKNOWN_LOCATION, locationKey } from '../reports/scope.queries.js';
import type { FoundPlace } from './places.rules.js';

/** The newest events of the period are read: what they state is not stored by place. */
const MOST_EVENTS = 10_000;
const MOST_PLACES = 10_000;

interface Places {
  readonly found: readonly FoundPlace[];
  readonly names: ReadonlyMap<string, string>;
  readonly eventsRead: number;
  readonly incomplete: boolean;
  readonly asOf: AsOf | undefined;
}

@Injectable()
export class PlacesQueries {
  async read(tx: TenantTx, scope: ReportScope): Promise<Places> {
    const { facts, factParameters, asOf } = await eventFigures(tx, scope);
    const orgId = scope.organisation?.orgId ?? null;
    const [stated, sites, organisations] = await Promise.all([
      tx.sql<FoundPlace & { readonly read: string }>(statedPlaces(facts, factParameters.length), [
        ...factParameters,
        MOST_EVENTS,
        MOST_PLACES,
      ]),
      tx.sql<FoundPlace>(SITES, [tx.tenantId, orgId]),
      tx.sql<{ id: string; name: string }>('select id::text, name from identity.organisation_v1 where tenant_id = $1', [tx.tenantId]),
    ]);
    const eventsRead = Number(stated[0]?.read ?? 0);
    return {
      found: [...sites, ...stated],
      names: new Map(organisations.map(({ id, name }) => [id, name])),
      eventsRead,
      incomplete: eventsRead >= MOST_EVENTS || stated.length >= MOST_PLACES,
      asOf,
    };
  }
}

const STATED = `array_agg(distinct s.org_id) as "orgIds", array_agg(distinct s.process_type) as "processTypes", count(*) as events,
    min(s.at)::text as "firstAt", max(s.at)::text as "lastAt"`;

/** Plots and locations of the newest events. @param facts the relation of `eventFigures`; behind `before`: numbers of events and of places */
const statedPlaces = (facts: string, before: number): string => `
  with newest as materialized (
    select f.event_id, f.at, f.process_type, f.org_id from ${facts} f order by f.at desc, f.event_id limit $${before + 1}::integer
  ), stated as materialized (
    select n.*, e.location, e.plots from newest n cross join lateral (
      select e.location, case when jsonb_typeof(e.metadata -> 'plots') = 'array' then e.metadata -> 'plots'
        when jsonb_typeof(e.metadata -> 'plot') = 'object' then jsonb_build_array(e.metadata -> 'plot') else '[]'::jsonb end as plots
      from traceability.event_v1 e where e.tenant_id = $1 and e.id = n.event_id offset 0) e
  ), places as (
    select 'plot' as kind, md5(p.plot::text) as key, p.plot as what, ${STATED}
    from stated s cross join lateral jsonb_array_elements(s.plots) p(plot) where jsonb_typeof(p.plot -> 'geometry') = 'object' group by p.plot
    union all
    select 'place', coalesce(${locationKey('s.location')}, '${UNKNOWN_LOCATION}'), max(s.location::text)::jsonb, ${STATED}
    from stated s where s.location is not null group by 2
  )
  select p.*, (select count(*) from newest) as read from places p order by p.events desc, p.key collate "C" limit $${before + 2}::integer`;

/** Of wallets, by the GLN of the site where it has one. */
const SITES = `
  select 'site' as kind, coalesce('https://id.gs1.org/414/' || w.site_gln, 'site:' || w.site_id) as key,
    coalesce((max(w.site_location::text))::jsonb, '{}') || jsonb_build_object('name', w.site_name) as what,
    array_agg(distinct w.org_id::text) as "orgIds", '{}'::text[] as "processTypes", 0 as events, null as "firstAt", null as "lastAt"
  from identity.wallet_v1 w where w.tenant_id = $1 and w.site_id is not null and ($2::text is null or w.org_id::text = $2)
  group by w.site_id, w.site_gln, w.site_name`;
