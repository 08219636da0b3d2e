import type { Actor } from '#kernel';
import type { SystemTx, TenantTx } from '#persistence';
import type { HeldKind, Taken, Usage } from './domain/usage.js';
import type { AuditActor, AuditEntry } from './domain/audit.js';
import type { ProcessRecorders } from './domain/chain-grant.js';

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

/**
 * The processes of a tenant's published maps, for what a role amounts to on chain. Identity knows no maps: the composition
 * root wires the class of the context that does.
 */
export abstract class ProcessDirectory {
  abstract processes(tx: TenantTx): Promise<readonly ProcessRecorders[]>;
}

/**
 * What a tenant's tier lets it use (api-decisions §2, Tiers). Asked in the transaction of what is used.
 */
export abstract class Quotas {
  /** @throws DomainError 429 `quota_exceeded` */
  abstract take(tx: TenantTx, more: Taken): Promise<void>;
  /** Room for one more; whoever asks waits for others who asked in transactions that are open. @throws DomainError 429 `quota_exceeded` */
  abstract requireRoom(tx: TenantTx, kind: HeldKind): Promise<void>;
  /** How a context says how many a tenant holds. */
  abstract counted(kind: HeldKind, count: (tx: TenantTx) => Promise<number>): void;
  abstract usage(tx: TenantTx): Promise<Usage>;
}

/** Security events of a tenant, written in the transaction of what happened; never changed afterwards. */
export abstract class AuditLog {
  /** @param tx of the tenant, or the system's */
  abstract record(tx: TenantTx | SystemTx, tenantId: string, by: Actor | AuditActor, entry: AuditEntry): Promise<void>;
}
