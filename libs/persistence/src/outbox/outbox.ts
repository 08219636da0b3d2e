import { beginSpan, recordedSpan, type Span } from '#tracing';
import type { TopicMessage } from '#kernel';
import type { SystemTx, Tx } from '../unit-of-work/tx.js';

/** Relays wait on this channel. A notification means only that there may be new messages. */
export const OUTBOX_CHANNEL = 'trace_outbox';

/** Releases the messages of final blocks for delivery. */
export async function releaseOutbox(tx: SystemTx, chainId: number, upToBlock: number): Promise<void> {
  await tx.sql(
    `with released as (
       update persistence.outbox set released = true where chain_id = $1 and block_number <= $2 and not released returning 1
     )
     select pg_notify('${OUTBOX_CHANNEL}', '') where exists (select from released)`,
    [chainId, upToBlock],
  );
}

/** Deletes the messages of blocks that were removed from the chain. Released messages are of final blocks and stay. */
export async function discardOutbox(tx: SystemTx, chainId: number, afterBlock: number): Promise<void> {
  await tx.sql('delete from persistence.outbox where chain_id = $1 and block_number > $2 and not released', [chainId, afterBlock]);
}

/**
 * Forgets what was sent about these transactions, which have left the chain after they were final: if one of them lands again, its messages
 * are sent again. The transaction is the third part of a key.
 */
export async function forgetPublished(tx: SystemTx, tenantId: string, chainId: number, txHashes: readonly string[]): Promise<void> {
  await tx.sql(
    `delete from persistence.outbox where tenant_id = $1 and chain_id = $2 and relayed_at is not null and split_part(dedup_key, ':', 3) = any($3::text[])`,
    [tenantId, chainId, txHashes],
  );
}

/** Messages that wait in the outbox, over all tenants, counted up to 10,000. Ages are in seconds, null when there is none. */
export interface OutboxBacklog {
  /** Released, but not relayed to deliveries yet. */
  readonly waiting: number;
  readonly waitingSeconds: number | null;
  /** Their block is not final yet. */
  readonly unfinal: number;
  readonly unfinalSeconds: number | null;
}

/** Reads the two partial indexes, at most 10,000 entries of each, in a transaction of its own. */
export async function outboxBacklog(tx: SystemTx): Promise<OutboxBacklog> {
  // With old statistics the planner would sort all waiting messages, although the index returns them in order.
  await tx.sql('set local enable_sort = off');
  const [backlog] = await tx.sql<OutboxBacklog>(BACKLOG, [10_000]);
  return backlog!;
}

const BACKLOG = `
  select (select count(*) from (select from persistence.outbox where released and relayed_at is null order by seq limit $1) w)::int as waiting,
         (select extract(epoch from now() - created_at) from persistence.outbox
          where released and relayed_at is null order by seq limit 1)::float8 as "waitingSeconds",
         (select count(*) from (select from persistence.outbox where not released order by chain_id, block_number limit $1) u)::int as unfinal,
         (select extract(epoch from now() - created_at) from persistence.outbox
          where not released order by chain_id, block_number limit 1)::float8 as "unfinalSeconds"`;

const STORE = `
  insert into persistence.span_origin (tenant_id, key, traceparent)
  select $1, key, $3 from unnest($2::text[]) as origin(key)
  on conflict (tenant_id, key) do nothing`;

/** Does nothing when the current span is not recorded. */
export async function rememberSpan(tx: Tx, tenantId: string, keys: readonly string[]): Promise<void> {
  const traceparent = recordedSpan()?.traceparent;
  if (traceparent && keys.length > 0) await tx.sql(STORE, [tenantId, keys, traceparent]);
}

const FIND = 'select key, traceparent from persistence.span_origin where tenant_id = $1 and key = any($2::text[])';

/**
 * Makes a span for each message: in the trace of its origin if one is stored, else in the current trace.
 * @returns the `traceparent` with which the delivery of each message continues, in the order of the messages
 */
export async function publishSpans(tx: Tx, tenantId: string, messages: readonly TopicMessage[]): Promise<readonly (string | null)[]> {
  const keys = messages.map(originsOf);
  const distinct = [...new Set(keys.flat())];
  const rows = distinct.length === 0 ? [] : await tx.sql<{ key: string; traceparent: string }>(FIND, [tenantId, distinct]);
  const origins = new Map(rows.map(({ key, traceparent }) => [key, traceparent]));
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

/** Links the span that read the block, and the other origins. */
function linkAll(span: Span | null, here: Span | undefined, others: readonly string[]): void {
  if (here?.traceparent) span?.link(here.traceparent);
  for (const other of others) span?.link(other);
}

/** Keys of the possible origins, the closest first: a prepared event, then a tracked transaction. */
function originsOf({ data }: TopicMessage): string[] {
  const { eventId, mintEventId, txHash } = data as Readonly<Record<string, unknown>>;
  return [eventId, mintEventId, txHash].filter((key) => typeof key === 'string');
}
