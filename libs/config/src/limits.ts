import type { LimitsConfig, TierLimits } from './config.js';
import type { Reader } from './reader.js';

const GIB = 1_073_741_824;
/** Sites and wallets are read with their organisation, and wallets with each credential of its members. */
const PLACES = { sites: 1_000, wallets: 1_000 } as const;
const TIERS: LimitsConfig['tiers'] = {
  sandbox: tier({ eventsPerMonth: 10_000, storedBytes: GIB, keys: 10, subscriptions: 20, members: 1_000, organisations: 1_000 }),
  standard: tier({
    eventsPerMonth: 1_000_000,
    storedBytes: 100 * GIB,
    keys: 100,
    subscriptions: 100,
    members: 10_000,
    organisations: 10_000,
  }),
  enterprise: tier({
    requestsPerMinute: 6_000,
    eventsPerMonth: 100_000_000,
    storedBytes: 10_000 * GIB,
    keys: 1_000,
    subscriptions: 1_000,
    members: 100_000,
    organisations: 100_000,
  }),
};

/** @param poolSize connections to the database, of which heavy requests take half at most */
export function limits(read: Reader, poolSize: number): LimitsConfig {
  const most = 1_000_000_000;
  return {
    requestsPerMinute: read.integer('RATE_REQUESTS', 600, 1, most),
    loginsPerAccount: read.integer('RATE_LOGINS_PER_ACCOUNT', 10, 1, most),
    loginsPerAddress: read.integer('RATE_LOGINS_PER_ADDRESS', 60, 1, most),
    refusedPerAddress: read.integer('RATE_REFUSED_PER_ADDRESS', 60, 1, most),
    publicPerAddress: read.integer('RATE_PUBLIC_PER_ADDRESS', 60, 1, most),
    linksPerTenant: read.integer('LINKS_PER_TENANT', 10_000, 1, 1_000_000),
    mailsPerDay: read.integer('MAILS_PER_DAY', 3, 1, most),
    keptAnswerBytes: read.integer('IDEMPOTENCY_MIB_PER_TENANT', 1_024, 1, 1_048_576) * 1_048_576,
    heavy: {
      slots: slotsIn(read, 'HEAVY_SLOTS', { poolSize, part: 2 }),
      publicSlots: slotsIn(read, 'HEAVY_PUBLIC_SLOTS', { poolSize, part: 4 }),
      bodyBytes: read.integer('HEAVY_BODIES_MIB', 256, 208, 65_536) * 1_048_576,
      waitingPerTenant: read.integer('HEAVY_WAITING_PER_TENANT', 100, 0, 10_000),
      maxWaitMs: read.integer('HEAVY_WAIT_SECONDS', 30, 1, 600) * 1_000,
    },
    tiers: read.numbersByName('TIERS', TIERS),
  };
}

function tier(own: Omit<TierLimits, 'requestsPerMinute' | 'sites' | 'wallets'> & { readonly requestsPerMinute?: number }): TierLimits {
  return { requestsPerMinute: 600, ...PLACES, ...own };
}

/** Each takes a connection: a quarter of them at least is for short requests. */
function slotsIn(
  read: Reader,
  name: 'HEAVY_SLOTS' | 'HEAVY_PUBLIC_SLOTS',
  { poolSize, part }: { readonly poolSize: number; readonly part: 2 | 4 },
): number {
  const slots = read.integer(name, 0, 0, 250);
  const most = Math.max(1, Math.floor(poolSize / part));
  if (slots > most) read.faults.push(`${name} is ${slots}; it is at most ${part === 2 ? 'half' : 'a quarter'} of DATABASE_POOL: ${most}`);
  return slots;
}
