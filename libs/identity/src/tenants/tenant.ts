import { invalidContent, isUuid, keccakOf, type Problem } from '#kernel';

export const ENVIRONMENTS = ['sandbox', 'production'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];
export type TenantStatus = 'active' | 'suspended';

export interface NewTenant {
  readonly slug: string;
  readonly name: string;
  readonly environment?: Environment;
  /** Rates and quotas of docs/spec/api.md#identity; default `standard`, or `sandbox` in a sandbox. */
  readonly tier?: string;
}

/** A tenant that existed before, in a database that was lost. */
export interface FormerTenant {
  /** The UUID that it had: the keys of its contents belong to it, and open them again. */
  readonly id?: string;
}

export class Tenant {
  id: string;
  /** The `tid` of tokens and the `tenantId` of answers; never changes, because its hash is on chain. */
  slug: string;
  name: string;
  /** keccak256(utf8(slug)), bytes32 hex. */
  onChainTenantId: string;
  environment: Environment;
  tier: string;
  status: TenantStatus;
  createdAt: Date;

  /** @throws DomainError 422 naming slug, name or id */
  static create(input: NewTenant, id: string, at: Date): Tenant {
    const problems: Problem[] = [];
    if (!SLUG.test(input.slug))
      problems.push({ pointer: '/slug', code: 'wrong_format', message: 'A slug is 2 to 63 lower-case letters, digits and hyphens.' });
    if (input.name.trim() === '' || input.name.length > 200)
      problems.push({ pointer: '/name', code: 'wrong_length', message: 'A name has 1 to 200 characters.' });
    if (!isUuid(id)) problems.push({ pointer: '/id', code: 'wrong_format', message: 'An id is a UUID.' });
    if (problems.length > 0) throw invalidContent(problems);
    const environment = input.environment ?? 'production';
    return Object.assign(new Tenant(), {
      id: id.toLowerCase(),
      slug: input.slug,
      name: input.name.trim(),
      onChainTenantId: keccakOf(input.slug),
      environment,
      tier: input.tier ?? (environment === 'sandbox' ? 'sandbox' : 'standard'),
      status: 'active' satisfies TenantStatus,
      createdAt: at,
    });
  }
}

/** As a DNS label, because a tenant may have its own host. */
const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])$/;

/** What a tier may use (docs/spec/api.md#identity, Tiers). */
export interface TierQuotas {
  readonly requestsPerMinute: number;
  readonly eventsPerMonth: number;
  readonly storedBytes: number;
  readonly keys: number;
  readonly subscriptions: number;
  readonly members: number;
  readonly organisations: number;
  readonly sites: number;
  readonly wallets: number;
}

/** `Use` is counted when it happens; `HeldKind` is counted in the tables that hold it: in the tenant, or in an owner in it. */
export type Use = { readonly events?: number; readonly bytes?: number };
export type HeldKind = 'keys' | 'subscriptions' | 'members' | 'organisations' | 'sites' | 'wallets';

export interface Usage {
  readonly tier: string;
  /** First day of the month in which `events` are counted, UTC. */
  readonly month: string;
  readonly limits: TierQuotas;
  readonly events: number;
  readonly storedBytes: number;
  readonly keys: number;
  readonly subscriptions: number;
  readonly members: number;
  readonly organisations: number;
}

/** First day of a moment's month, UTC, as `yyyy-mm-dd`. */
export const monthOf = (at: Date): string => `${at.toISOString().slice(0, 7)}-01`;

/** Within this part of a limit, or within this absolute amount, every use is counted exactly, one after the other. */
const EDGE = 0.01;
export const EVENTS_EDGE = 100;
export const BYTES_EDGE = 16 * 1024 * 1024;
export const isNearEdge = (used: number, more: number, limit: number, edge: number): boolean =>
  used + more > limit - Math.max(edge, limit * EDGE);
