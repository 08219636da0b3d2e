import { Injectable, Optional } from '@nestjs/common';
import { ChainProfile } from '#chain';
import type { TenantTx, Tx } from '#persistence';
import { type MemberUse, type Sponsorship, type SponsorshipUse, midnightBefore } from './sponsorship.js';
import { SponsorshipSettings } from './sponsorship.settings.js';

/** Who sends, as last reported. */
export interface SponsorState {
  /** EIP-55. */
  readonly address: string;
  /** Wei. */
  readonly balance: bigint;
  readonly seenAt: Date;
}

interface LimitsRow {
  readonly ceiling_wei: string | null;
  readonly limit_wei: string | null;
  readonly relays_per_hour: number | null;
}

/** Absent fields stay; null is the operator's setting again. */
export interface SponsorshipChange {
  readonly ceiling?: bigint | null | undefined;
  readonly limit?: bigint | null | undefined;
  readonly relaysPerHour?: number | null | undefined;
}

const text = (value: bigint | null | undefined): string | null => (value === null || value === undefined ? null : String(value));

@Injectable()
export class SponsorshipQueries {
  constructor(
    private readonly chain: ChainProfile,
    @Optional() private readonly settings: SponsorshipSettings = new SponsorshipSettings(),
  ) {}

  async of(tx: TenantTx): Promise<Sponsorship> {
    const [row] = await tx.sql<LimitsRow>(
      'select ceiling_wei, limit_wei, relays_per_hour from transactions.sponsorship where tenant_id = $1',
      [tx.tenantId],
    );
    return {
      ceiling: row?.ceiling_wei ? BigInt(row.ceiling_wei) : this.settings.weiPerDay,
      limit: row?.limit_wei ? BigInt(row.limit_wei) : null,
      relaysPerHour: Math.min(row?.relays_per_hour ?? Number.POSITIVE_INFINITY, this.settings.relaysPerHour),
    };
  }

  /** Of one member; the operator's setting. */
  get mostRelaysPerHour(): number {
    return this.settings.relaysPerHour;
  }

  async change(tx: TenantTx, { ceiling, limit, relaysPerHour }: SponsorshipChange): Promise<void> {
    const sets = (value: unknown): boolean => value !== undefined;
    await tx.sql(
      `insert into transactions.sponsorship as s (tenant_id, ceiling_wei, limit_wei, relays_per_hour) values ($1, $2, $3, $4)
       on conflict (tenant_id) do update set
         ceiling_wei = case when $5 then excluded.ceiling_wei else s.ceiling_wei end,
         limit_wei = case when $6 then excluded.limit_wei else s.limit_wei end,
         relays_per_hour = case when $7 then excluded.relays_per_hour else s.relays_per_hour end`,
      [tx.tenantId, text(ceiling), text(limit), relaysPerHour ?? null, sets(ceiling), sets(limit), sets(relaysPerHour)],
    );
  }

  /** Relays of one tenant are counted one after another, so that requests at once do not exceed the limit. */
  async lock(tx: TenantTx): Promise<void> {
    await tx.sql(`select pg_advisory_xact_lock(hashtextextended('transactions.relay:' || $1, 0))`, [tx.tenantId]);
  }

  async use(tx: TenantTx, at: Date): Promise<SponsorshipUse> {
    const [row] = await tx.sql<{ wei: string }>(
      'select coalesce(sum(wei), 0) as wei from transactions.relay where tenant_id = $1 and created_at >= $2',
      [tx.tenantId, midnightBefore(at)],
    );
    return { today: BigInt(row!.wei) };
  }

  async useOfMember(tx: TenantTx, userId: string, at: Date): Promise<MemberUse> {
    const [row] = await tx.sql<{ relays: number; reverted: number }>(
      `select count(*)::int as relays, (count(*) filter (where status = 'reverted'))::int as reverted
       from transactions.relay where tenant_id = $1 and created_at > $3::timestamptz - interval '1 hour' and user_id = $2`,
      [tx.tenantId, userId, at],
    );
    return row!;
  }

  /** Null while no sponsor has reported from this chain. */
  async sponsor(tx: Tx): Promise<SponsorState | null> {
    const [row] = await tx.sql<{ address: string; balance: string; seen_at: Date }>(
      'select address, balance, seen_at from transactions.sponsor where chain_id = $1',
      [this.chain.chainId],
    );
    return row ? { address: row.address, balance: BigInt(row.balance), seenAt: row.seen_at } : null;
  }
}
