import type { TransactionHints } from '#chain';
import type { Hex, Page, PageRequest } from '#kernel';
import type { TenantTx, Tx } from '#persistence';
import type { ChainGrant } from './domain/chain-grant.js';

/** What stands on chain about the accounts of the tenant, as far as it is projected. */
export abstract class ChainGrants {
  /** One entry for every account asked for. @param contract the tenant's, EIP-55 */
  abstract of(tx: TenantTx, contract: string, accounts: readonly string[]): Promise<ReadonlyMap<string, ChainGrant>>;
}

export interface PreparedRegistryCall {
  readonly preparedTx: { readonly to: string; readonly data: Hex; readonly gasEstimate: number; readonly chainId: number };
  readonly hints: TransactionHints;
  readonly warnings: readonly string[];
}

/** Calls of the registry, which the registry's owner signs: the service holds no key. */
export abstract class RegistryCalls {
  /** @param from EIP-55 of the registry's owner, or null: then the gas is the table's @throws DomainError 409 `no_registry`, 422 `tx_would_revert` */
  abstract createTenant(
    tenant: { readonly onChainTenantId: string; readonly name: string },
    admin: string,
    from: string | null,
  ): Promise<PreparedRegistryCall>;
}

export interface AuditRow {
  readonly id: string;
  readonly at: Date;
  readonly action: string;
  readonly actorKind: string;
  readonly actorId: string | null;
  readonly subject: string | null;
  readonly details: Readonly<Record<string, unknown>>;
}

export interface AuditFilter {
  readonly action: string | null;
  readonly actorId: string | null;
  readonly subject: string | null;
  readonly from: Date | null;
  /** Exclusive. */
  readonly to: Date | null;
}

export abstract class AuditTrail {
  /** Newest first. */
  abstract list(tx: TenantTx, filter: AuditFilter, page: PageRequest): Promise<Page<AuditRow>>;
}

/** Where somebody has an open invitation, and for whom. */
export abstract class Invitations {
  abstract issue(
    tx: Tx,
    invitation: { tokenHash: Buffer; userId: string; tenantId: string; createdAt: Date; expiresAt: Date },
  ): Promise<void>;
  /** Takes the invitation, once. Null for an unknown, expired or used one. */
  abstract take(tx: Tx, tokenHash: Buffer, at: Date): Promise<{ readonly userId: string; readonly tenantId: string } | null>;
}
