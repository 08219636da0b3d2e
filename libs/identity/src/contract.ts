import type { TenantTx } from '#persistence';

/** What other contexts may know of a tenant. */
export interface TenantView {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  /** keccak256(utf8(slug)), bytes32. */
  readonly onChainTenantId: string;
  /** EIP-55 address of the tenant's newest contract; null until its creation has landed. */
  readonly contract: string | null;
  /** Version of the implementation behind it, as the registry numbers them. */
  readonly contractVersion: number | null;
}

/** Cached for a second: asked on every request. */
export abstract class Tenants {
  /** @throws DomainError 404 `tenant_not_found` */
  abstract byId(tenantId: string): Promise<TenantView>;
  /** @throws DomainError 409 `tenant_has_no_contract` */
  abstract contractOf(tenantId: string): Promise<string>;
}

/** domain-decisions §2.2 */
export type CustodianLabelKind = 'organization' | 'facility' | 'user' | 'partner' | 'contract' | 'address';

export interface PartyLabel {
  readonly label: string;
  readonly kind: CustodianLabelKind;
  readonly orgId: string | null;
  readonly orgName: string | null;
}

/** Who stands behind the wallets of a tenant. Addresses are EIP-55. */
export abstract class Parties {
  /** One entry for every address asked for; an unknown one is labelled `0x1234…abcd`. */
  abstract labels(tx: TenantTx, addresses: readonly string[]): Promise<ReadonlyMap<string, PartyLabel>>;
  /** Wallets of an organisation. @throws DomainError 404 `organisation_not_found` */
  abstract walletsOf(tx: TenantTx, orgId: string): Promise<readonly string[]>;
}
