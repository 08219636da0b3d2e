import { type Span, beginSpan, recordedSpan } from '#tracing';
import type { OutboxMessage, Tx } from './unit-of-work.js';

/** Rows of a tenant that are forgotten with each one that is left. */
const FORGOTTEN_AT_ONCE = 100;

const LEAVE = `
  with old as materialized (
    select tenant_id, key from persistence.trace_origin
    where tenant_id = $1 and created_at < now() - interval '7 days' order by created_at limit ${FORGOTTEN_AT_ONCE} for update skip locked
  ), forgotten as (
    delete from persistence.trace_origin o using old where o.tenant_id = old.tenant_id and o.key = old.key
  )
  insert into persistence.trace_origin (tenant_id, key, traceparent)
  select $1, key, $3 from unnest($2::text[]) as left_at(key)
  where key not in (select key from old)
  on conflict (tenant_id, key) do nothing`;

/** Of one tenant; nothing where the trace is not recorded. */
export async function leaveTrace(tx: Tx, tenantId: string, keys: readonly string[]): Promise<void> {
  const traceparent = recordedSpan()?.traceparent;
  if (traceparent && keys.length > 0) await tx.sql(LEAVE, [tenantId, keys, traceparent]);
}

const FIND = 'select key, traceparent from persistence.trace_origin where tenant_id = $1 and key = any($2::text[])';

/**
 * A span for each message whose origin left a trace, in that trace, or in the one that is open here where there is no origin.
 * @returns in the order of the messages, the `traceparent` with which whoever delivers them goes on
 */
export async function publishSpans(tx: Tx, tenantId: string, messages: readonly OutboxMessage[]): Promise<readonly (string | null)[]> {
  const keys = messages.map(originsOf);
  const asked = [...new Set(keys.flat())];
  const found = asked.length === 0 ? [] : await tx.sql<{ key: string; traceparent: string }>(FIND, [tenantId, asked]);
  const origins = new Map(found.map(({ key, traceparent }) => [key, traceparent]));
  const here = recordedSpan();
  return messages.map((message, i) => {
    const [origin, ...others] = keys[i]!.flatMap((key) => origins.get(key) ?? []);
    if (!origin && !here) return null;
    const facts = { 'messaging.destination.name': message.topic, 'traceability.tenant.id': tenantId };
    const span = beginSpan(`publish ${message.topic}`, { kind: 'producer', facts, ...(origin && { parent: origin }) });
    if (origin) linkAll(span, here, others);
    span?.end();
    return span?.traceparent ?? null;
  });
}

/** The work that found it on the chain, and who else waits for the same. */
function linkAll(span: Span | null, here: Span | undefined, others: readonly string[]): void {
  if (here?.traceparent) span?.link(here.traceparent);
  for (const other of others) span?.link(other);
}

/** What brought it about, the nearest first: a prepared event, then a tracked transaction. */
function originsOf({ data }: OutboxMessage): string[] {
  const { eventId, mintEventId, txHash } = data as Readonly<Record<string, unknown>>;
  return [eventId, mintEventId, txHash].filter((key) => typeof key === 'string');
}
