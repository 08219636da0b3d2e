import { Injectable } from '@nestjs/common';
import type { Role } from '#kernel';
import type { TenantTx } from '#persistence';
import type { RoleScopes } from '../access/grants.js';
import { ProcessDirectory, Tenants } from '../contract.js';
import { type ChainGrant, NO_GRANT, type ProcessRecorders, wantedGrant } from './chain-grant.js';
import { ChainGrantsQueries } from './chain-grants.queries.js';

/** A member, or a former one, and one of its wallets. */
interface GrantHolder {
  readonly wallet: string;
  readonly roles: readonly Role[];
  readonly roleScopes: RoleScopes;
  readonly revokedAt: Date | null;
}

export interface GrantComparison {
  /** What the contract lets the wallet do now. */
  readonly current: ChainGrant;
  /** What it must let the wallet do, so that it allows exactly what the service does. */
  readonly wanted: ChainGrant;
}

/** Compares what the service lets members do with what the tenant's contract lets their wallets do. */
@Injectable()
export class CompareGrants {
  constructor(
    private readonly tenants: Tenants,
    private readonly processes: ProcessDirectory,
    private readonly chainGrants: ChainGrantsQueries,
  ) {}

  /** @throws DomainError 409 `tenant_has_no_contract` */
  contractOf(tenantId: string): Promise<string> {
    return this.tenants.contractOf(tenantId);
  }

  /** In the order of `holders`. @param contract the tenant's, EIP-55 */
  async compare(
    tx: TenantTx,
    contract: string,
    holders: readonly GrantHolder[],
  ): Promise<{ readonly processes: readonly ProcessRecorders[]; readonly comparisons: readonly GrantComparison[] }> {
    const processes = await this.processes.processes(tx);
    const grants = await this.chainGrants.of(
      tx,
      contract,
      holders.map(({ wallet }) => wallet),
    );
    const comparisons = holders.map(({ wallet, roles, roleScopes, revokedAt }) => ({
      current: grants.get(wallet) ?? NO_GRANT,
      wanted: revokedAt ? NO_GRANT : wantedGrant(roles, roleScopes, processes),
    }));
    return { processes, comparisons };
  }
}
