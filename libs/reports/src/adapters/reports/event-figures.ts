import type { ChainPosition } from '#chain';
import type { TenantTx } from '#persistence';
import type { Scope } from '../../ports.js';
import { DAY_COLUMNS, daysOf, drawFacts, eventFacts } from '../persistence/event-facts.js';
import { eventsIn } from './events-in.js';
import { cutOf, wholeDays } from '../persistence/whole-days.js';

/** Relations to ask about the events of a scope, as parts of a statement that may add parameters of its own behind theirs. */
export interface EventFigures {
  /** One row an event: `reports.event_fact`. */
  readonly facts: string;
  readonly factParameters: readonly unknown[];
  /** One row a day, process and organisation: `reports.event_day`. */
  readonly days: string;
  /** What was drawn: process_type, from_process, from_org, kg, raw_kg. */
  readonly draws: string;
  /** Of days and draws. */
  readonly dayParameters: readonly unknown[];
  /** What kept days stand on; undefined = the events are read as they are now. */
  readonly asOf?: ChainPosition;
}

/** Of a tenant whose days are kept, from those and the events of the days that the period cuts; of another, from the events. */
export async function eventFigures(tx: TenantTx, scope: Scope): Promise<EventFigures> {
  const { where, parameters } = eventsIn(tx, scope);
  const [kept] = await tx.sql<{ head: string; final: string }>(
    'select as_of_head as head, as_of_final as final from reports.fact_walk where tenant_id = $1 and as_of_head is not null',
    [tx.tenantId],
  );
  if (!kept) {
    const facts = `(${eventFacts(where)})`;
    const draws = `(${drawFacts(where)})`;
    return { facts, factParameters: parameters, days: `(${daysOf(`${facts} f`)})`, draws, dayParameters: parameters };
  }
  const whole = wholeDays(scope);
  const [first, last] = [`$${parameters.length + 1}::date`, `$${parameters.length + 2}::date`];
  const inDays = whole && eventsIn(tx, { ...scope, from: null, to: null }, [...parameters, whole.from, whole.to]);
  const day = inDays ? `${inDays.where} and (${first} is null or e.day >= ${first}) and (${last} is null or e.day < ${last})` : 'false';
  const cut = `(select * from reports.event_fact e where ${where} and ${cutOf('e.at', scope, whole, first, last)})`;
  return {
    facts: `(select * from reports.event_fact e where ${where})`,
    factParameters: parameters,
    days: `(select ${DAY_COLUMNS} from reports.event_day e where ${day} union all ${daysOf(`${cut} f`)})`,
    draws: `(select e.process_type, e.from_process, e.from_org, e.kg, e.raw_kg from reports.draw_day e where ${day}
      union all select e.process_type, d.from_process, d.from_org, d.kg, d.raw_kg from ${cut} e
      join reports.draw_fact d on d.tenant_id = $1 and d.event_id = e.event_id where e.process_type is not null)`,
    dayParameters: inDays?.parameters ?? parameters,
    asOf: { head: Number(kept.head), final: Number(kept.final) },
  };
}
