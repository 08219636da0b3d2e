import { IntegerField, ObjectField, StringField } from '#http';
import type { SponsorshipNow } from './change-sponsorship.js';
import { allowance } from './sponsorship.js';

const WEI = /^\d{1,30}$/;

export class SponsorshipBody {
  @StringField({ description: 'Wei a day, decimal, at most the ceiling; null: the ceiling', pattern: WEI, optional: true, nullable: true })
  limitWeiPerDay?: string | null;

  @IntegerField({
    description: "Relays of one member, at most the operator's setting; null: that",
    min: 0,
    max: 100_000,
    optional: true,
    nullable: true,
  })
  relaysPerHour?: number | null;
}

export class CeilingBody {
  @StringField({ description: "Wei a day, decimal; null: the operator's setting", pattern: WEI, nullable: true })
  ceilingWeiPerDay: string | null;
}

export class SponsorView {
  @StringField({ description: 'EIP-55 address' })
  address: string;

  @StringField({ description: 'Wei, decimal' })
  balanceWei: string;

  @StringField({ description: 'When it last read the chain', format: 'date-time' })
  seenAt: string;
}

export class SponsorshipView {
  @StringField({ description: 'Wei a day that the platform allows' })
  ceilingWeiPerDay: string;

  @StringField({ description: 'Wei a day that the tenant allows itself', nullable: true })
  limitWeiPerDay: string | null;

  @StringField({ description: 'Spent since midnight UTC; what is on its way counts with the most that it can cost' })
  spentWeiToday: string;

  @StringField({ description: 'Left of today' })
  leftWeiToday: string;

  @IntegerField({ description: 'Relays of one member' })
  relaysPerHour: number;

  @ObjectField(() => SponsorView, { description: 'Who pays; null when the service has no sponsor', nullable: true })
  sponsor: SponsorView | null;
}

export function sponsorshipView({ sponsorship, sponsor, today }: SponsorshipNow): SponsorshipView {
  const left = allowance(sponsorship) - today;
  return {
    ceilingWeiPerDay: String(sponsorship.ceiling),
    limitWeiPerDay: sponsorship.limit === null ? null : String(sponsorship.limit),
    spentWeiToday: String(today),
    leftWeiToday: String(left > 0n ? left : 0n),
    relaysPerHour: sponsorship.relaysPerHour,
    sponsor: sponsor && { address: sponsor.address, balanceWei: String(sponsor.balance), seenAt: sponsor.seenAt.toISOString() },
  };
}
