import { type Problem, invalidContent, keccakOf } from '#kernel';

export const ENVIRONMENTS = ['sandbox', 'production'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];
export type TenantStatus = 'active' | 'suspended';

export interface NewTenant {
  readonly slug: string;
  readonly name: string;
  readonly environment?: Environment;
  /** Rates and quotas of api-decisions §2; default `standard`, or `sandbox` in a sandbox. */
  readonly tier?: string;
}

export class Tenant {
  id: string;
  /** The `tid` of tokens and the `tenantId` of answers; never changes, because its hash stands on chain. */
  slug: string;
  name: string;
  /** keccak256(utf8(slug)), bytes32 hex. */
  onChainTenantId: string;
  environment: Environment;
  tier: string;
  status: TenantStatus;
  createdAt: Date;

  /** @throws DomainError 422 naming slug or name */
  static create(input: NewTenant, id: string, at: Date): Tenant {
    const problems: Problem[] = [];
    if (!SLUG.test(input.slug))
      problems.push({ pointer: '/slug', code: 'wrong_format', message: 'A slug is 2 to 63 lower-case letters, digits and hyphens.' });
    if (input.name.trim() === '' || input.name.length > 200)
      problems.push({ pointer: '/name', code: 'wrong_length', message: 'A name has 1 to 200 characters.' });
    if (problems.length > 0) throw invalidContent(problems);
    const environment = input.environment ?? 'production';
    return Object.assign(new Tenant(), {
      id,
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
