import type { SystemTx } from '#persistence';

/** The sponsor as its metrics show it, over all processes. Amounts in ether, so far as a double can say them. */
export interface SponsorReading {
  readonly balance: number;
  /** Since a sponsor last asked the chain. */
  readonly seenSeconds: number;
  /** Relays without a nonce; 10,000 at most. */
  readonly queued: number;
  readonly oldestQueuedSeconds: number | null;
  /** Transactions that no block has yet. */
  readonly sent: number;
  /** What final transactions of the last 24 hours cost. */
  readonly spent: number;
}

/** Null where no sponsor has ever reported. */
export async function sponsorReading(tx: SystemTx): Promise<SponsorReading | null> {
  const [row] = await tx.sql<SponsorReading>(
    `with sponsor as (select chain_id, balance, seen_at from transactions.sponsor order by seen_at desc limit 1)
     select (balance / 1e18)::float8 as balance, extract(epoch from now() - seen_at)::float8 as "seenSeconds",
       waiting.queued::int as queued, waiting.seconds::float8 as "oldestQueuedSeconds",
       (select count(*)::int from transactions.sponsor_transaction open
         where open.chain_id = sponsor.chain_id and not settled and mined_hash is null) as sent,
       (select coalesce(sum(wei) / 1e18, 0)::float8 from transactions.sponsor_transaction done
         where settled and done.created_at > now() - interval '1 day') as spent
     from sponsor, lateral (
       select count(*) as queued, extract(epoch from now() - min(created_at)) as seconds from (
         select created_at from transactions.relay
         where relay.chain_id = sponsor.chain_id and status = 'queued' order by created_at limit 10000) oldest) waiting`,
  );
  return row ?? null;
}
