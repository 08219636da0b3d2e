import type { LimitsConfig } from '#config';
import type { Clock, TenantScope } from '#kernel';
import type { TenantTx } from '#persistence';
import { Quotas } from '../contract.js';
import { quotaExceeded } from '../errors.js';
import { BYTES_EDGE, EVENTS_EDGE, type HeldKind, type Use, type TierQuotas, type Usage, isNearEdge, monthOf } from './tenant.js';

/** Rows per tenant and month, so that this many writers do not wait for each other. */
const SLOTS = 16;
/** How long a cached count is used while it is far from its limit. */
const CACHE_MS = 10_000;
const MAX_CACHED = 10_000;

interface CachedUsage {
  readonly month: string;
  readonly limits: TierQuotas;
  readonly until: number;
  events: number;
  bytes: number;
}

type Count = (tx: TenantTx, owner: string | null) => Promise<number>;

/**
 * Counts in PostgreSQL, in the transaction of what is counted. Far from the limit this costs one statement. Near it, the tenant's
 * requests are counted one after the other, so that none exceeds it. The margin covers what other processes may use in ten seconds.
 */
export class QuotasQueries extends Quotas {
  private readonly cache = new Map<string, CachedUsage>();
  private readonly held = new Map<HeldKind, Count>();

  constructor(
    private readonly tiers: LimitsConfig['tiers'],
    private readonly clock: Clock,
  ) {
    super();
    for (const [kind, count] of OWN_COUNTS) this.held.set(kind, count);
  }

  override counted(kind: HeldKind, count: Count): void {
    this.held.set(kind, count);
  }

  override async take(tx: TenantTx, { events = 0, bytes = 0 }: Use): Promise<void> {
    const now = this.clock.now();
    const cached = this.recent(tx, now) ?? (await this.refresh(tx, now));
    if (near(cached, events, bytes)) await this.exactly(tx, now, events, bytes);
    await addTo(cached, tx, { events, bytes });
  }

  override takeAtOnce(scope: TenantScope, { events = 0, bytes = 0 }: Use): ((tx: TenantTx) => Promise<void>) | null {
    const cached = this.recent(scope, this.clock.now());
    return cached && !near(cached, events, bytes) ? (tx) => addTo(cached, tx, { events, bytes }) : null;
  }

  private recent({ tenantId }: TenantScope, now: Date): CachedUsage | undefined {
    const known = this.cache.get(tenantId);
    return known && known.until > now.getTime() && known.month === monthOf(now) ? known : undefined;
  }

  override async requireRoom(tx: TenantTx, kind: HeldKind, owner: string | null = null): Promise<void> {
    await this.lockQuota(tx, kind);
    const { limits } = await this.read(tx, this.clock.now());
    if ((await this.held.get(kind)!(tx, owner)) >= limits[kind]) throw quotaExceeded(kind, limits[kind]);
  }

  override async usage(tx: TenantTx): Promise<Usage> {
    const now = this.clock.now();
    const count = async (kind: HeldKind): Promise<number> => (await this.held.get(kind)?.(tx, null)) ?? 0;
    const [{ tier, limits, events, bytes }, keys, subscriptions, members, organisations] = await Promise.all([
      this.read(tx, now),
      count('keys'),
      count('subscriptions'),
      count('members'),
      count('organisations'),
    ]);
    return {
      tier,
      month: monthOf(now),
      limits,
      events,
      storedBytes: bytes,
      keys,
      subscriptions,
      members,
      organisations,
    };
  }

  private async exactly(tx: TenantTx, now: Date, events: number, bytes: number): Promise<void> {
    await this.lockQuota(tx, 'use');
    const used = await this.read(tx, now);
    if (events > 0 && used.events + events > used.limits.eventsPerMonth) throw quotaExceeded('events', used.limits.eventsPerMonth);
    if (bytes > 0 && used.bytes + bytes > used.limits.storedBytes) throw quotaExceeded('bytes', used.limits.storedBytes);
  }

  private async refresh(tx: TenantTx, now: Date): Promise<CachedUsage> {
    const cached = { ...(await this.read(tx, now)), month: monthOf(now), until: now.getTime() + CACHE_MS };
    // Concurrent requests refresh an expired entry together; they must share one object, so that their uses add up.
    const meanwhile = this.cache.get(tx.tenantId);
    if (meanwhile && meanwhile.until > now.getTime() && meanwhile.month === cached.month) return meanwhile;
    if (this.cache.size >= MAX_CACHED) this.cache.clear();
    this.cache.set(tx.tenantId, cached);
    return cached;
  }

  private async read(
    tx: TenantTx,
    now: Date,
  ): Promise<{ readonly tier: string; readonly limits: TierQuotas; readonly events: number; readonly bytes: number }> {
    const [row] = await tx.sql<{ tier: string; events: string; bytes: string }>(
      `select t.tier, coalesce(sum(u.events) filter (where u.month = $2), 0) as events, coalesce(sum(u.bytes), 0) as bytes
       from identity.tenant t left join identity.usage u on u.tenant_id = t.id where t.id = $1 group by t.tier`,
      [tx.tenantId, monthOf(now)],
    );
    const tier = row?.tier ?? 'sandbox';
    // A tier that is no longer configured gets the limits of the narrowest one.
    const limits = this.tiers[tier] ?? this.tiers['sandbox'] ?? Object.values(this.tiers)[0]!;
    return { tier, limits, events: Number(row?.events ?? 0), bytes: Number(row?.bytes ?? 0) };
  }

  private async lockQuota(tx: TenantTx, what: string): Promise<void> {
    await tx.sql(`select pg_advisory_xact_lock(hashtextextended('identity.quota:' || $1 || ':' || $2, 0))`, [what, tx.tenantId]);
  }
}

async function addTo(cached: CachedUsage, tx: TenantTx, { events, bytes }: Required<Use>): Promise<void> {
  cached.events += events;
  cached.bytes += bytes;
  await tx.sql(
    `insert into identity.usage (tenant_id, month, slot, events, bytes) values ($1, $2, $3, $4, $5)
     on conflict (tenant_id, month, slot) do update set events = usage.events + excluded.events, bytes = usage.bytes + excluded.bytes`,
    [tx.tenantId, cached.month, Math.floor(Math.random() * SLOTS), events, bytes],
  );
}

const near = ({ limits, events, bytes }: CachedUsage, moreEvents: number, moreBytes: number): boolean =>
  isNearEdge(events, moreEvents, limits.eventsPerMonth, EVENTS_EDGE) || isNearEdge(bytes, moreBytes, limits.storedBytes, BYTES_EDGE);

const counting =
  (rows: string): Count =>
  async (tx, owner) => {
    const ofOwner = rows.includes('$2') ? [owner] : [];
    const [row] = await tx.sql<{ held: number }>(`select count(*)::int as held from ${rows}`, [tx.tenantId, ...ofOwner]);
    return row!.held;
  };

const OWN_COUNTS: readonly (readonly [HeldKind, Count])[] = [
  ['keys', counting('identity.api_key where tenant_id = $1 and revoked_at is null and (expires_at is null or expires_at > now())')],
  // Who was invited and removed again takes a place too: else the places would bound no invitations.
  [
    'members',
    counting('identity.member where tenant_id = $1 and user_id is distinct from $2::uuid and (revoked_at is null or accepted_at is null)'),
  ],
  ['organisations', counting('identity.organisation where tenant_id = $1')],
  ['sites', counting('identity.site where tenant_id = $1 and org_id = $2::uuid')],
  // Without an owner: the partners in the address book.
  ['wallets', counting('identity.wallet where tenant_id = $1 and coalesce(org_id, user_id) is not distinct from $2::uuid')],
];
