import type { Registry } from 'prom-client';
import type { SponsorReading } from '#transactions';
import { gauge, reading, readingsOf } from './readings.js';
import type { WatchedSources } from './sources.js';

/** Who pays the gas of members without coins, over all processes; missing where no sponsor has ever run. */
export function sponsorGauges(registry: Registry, sources: () => WatchedSources | null): void {
  const sponsor = async (): Promise<SponsorReading | null> => (await sources()?.samples.backlog.read())?.sponsor ?? null;
  gauge(registry, { name: 'traceability_sponsor_balance_ether', help: 'What the sponsor has, when it last asked the chain.' }, async () =>
    reading((await sponsor())?.balance),
  );
  gauge(
    registry,
    { name: 'traceability_sponsor_spent_ether', help: 'What the final transactions of the sponsor cost within the last 24 hours.' },
    async () => reading((await sponsor())?.spent),
  );
  gauge(registry, { name: 'traceability_sponsor_seen_seconds', help: 'Since a sponsor last asked the chain.' }, async () =>
    reading((await sponsor())?.seenSeconds),
  );
  gauge(
    registry,
    {
      name: 'traceability_sponsor_relays',
      help: 'Calls of members (queued: not sent yet, 10,000 at most; sent: no block has them yet).',
      labelNames: ['state'],
    },
    async () => {
      const now = await sponsor();
      return now ? readingsOf('state', { queued: now.queued, sent: now.sent }) : [];
    },
  );
  gauge(
    registry,
    { name: 'traceability_sponsor_oldest_queued_seconds', help: 'For how long the oldest call that was not sent has waited.' },
    async () => reading((await sponsor())?.oldestQueuedSeconds),
  );
}
