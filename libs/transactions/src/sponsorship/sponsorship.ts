/** Limits of what the sponsor pays for a tenant. */
export interface Sponsorship {
  /** Wei a day, UTC; of the platform. */
  readonly ceiling: bigint;
  /** Wei a day; of the tenant itself. Null: the ceiling. */
  readonly limit: bigint | null;
  /** Relays of one member. */
  readonly relaysPerHour: number;
}

/** What has been relayed. */
export interface SponsorshipUse {
  /** Wei since midnight UTC; what is on its way counts with the most that it can cost. */
  readonly today: bigint;
}

export interface MemberUse {
  /** In the last hour. */
  readonly relays: number;
  readonly reverted: number;
}

/** Calls that fail on chain cost as much as others. After so many in an hour, somebody should look why. */
const MOST_REVERTED = 3;
const HOUR_SECONDS = 3_600;

export const allowance = ({ ceiling, limit }: Sponsorship): bigint => (limit !== null && limit < ceiling ? limit : ceiling);

export const midnightBefore = (at: Date): Date => new Date(Math.floor(at.getTime() / 86_400_000) * 86_400_000);

export type Exhausted = { readonly of: 'tenant' | 'member'; readonly retryAfterSeconds: number };

/** @param wei the most that the relay can cost @returns null where it is paid for */
export function refusedBy(
  sponsorship: Sponsorship,
  { today }: SponsorshipUse,
  member: MemberUse,
  { wei, at }: { readonly wei: bigint; readonly at: Date },
): Exhausted | 'paused' | null {
  if (member.reverted >= MOST_REVERTED) return 'paused';
  if (member.relays >= sponsorship.relaysPerHour) return { of: 'member', retryAfterSeconds: HOUR_SECONDS };
  if (today + wei <= allowance(sponsorship)) return null;
  const midnight = midnightBefore(at).getTime() + 86_400_000;
  return { of: 'tenant', retryAfterSeconds: Math.max(1, Math.ceil((midnight - at.getTime()) / 1_000)) };
}
