import { Injectable, Optional } from '@nestjs/common';
import { Deployments, JsonRpc, type RpcResult, type TransactionHints, refusalOf, tenantRegistry } from '#chain';
import type { Hex } from '#kernel';
import { noRegistry } from '../errors.js';
import { IdentitySettings } from '../identity.settings.js';

/** The transaction that creates a tenant's contract. The registry's owner signs it: the service holds no key. */
export interface PreparedContract {
  readonly preparedTx: { readonly to: string; readonly data: Hex; readonly gasEstimate: number; readonly chainId: number };
  readonly hints: TransactionHints;
  readonly warnings: readonly string[];
}

/** Measured (bench/results), with room for a long name. */
const CREATE_TENANT_GAS = 230_000;
const NO_SENDER = 'No sender is known: the gas estimate comes from a table, and the call was not simulated.';

/** Calls of the tenant registry. */
@Injectable()
export class RegistryClient {
  constructor(
    private readonly deployments: Deployments,
    private readonly settings: IdentitySettings,
    /** Absent in commands, which run without a chain connection. */
    @Optional() private readonly rpc?: JsonRpc,
  ) {}

  /** @param from EIP-55 of the registry's owner, or null: then the gas comes from a table @throws DomainError 409 `no_registry`, 422 `tx_would_revert` */
  async createTenant(
    tenant: { readonly onChainTenantId: string; readonly name: string },
    admin: string,
    from: string | null,
  ): Promise<PreparedContract> {
    const to = await this.deployments.registry();
    if (to === null) throw noRegistry();
    const data = tenantRegistry.encodeCall('createTenant', [tenant.onChainTenantId, tenant.name, admin]) as Hex;
    const { chainId } = this.settings;
    const hints = { from, nonce: null, maxFeePerGas: null, maxPriorityFeePerGas: null };
    if (from === null || !this.rpc)
      return { preparedTx: { to, data, gasEstimate: CREATE_TENANT_GAS, chainId }, hints, warnings: [NO_SENDER] };
    const [gas, nonce] = await this.rpc.batch([
      { method: 'eth_estimateGas', params: [{ from, to, data }, 'latest'] },
      { method: 'eth_getTransactionCount', params: [from, 'pending'], optional: true },
    ]);
    return {
      preparedTx: { to, data, gasEstimate: Number(valueOf(gas!)), chainId },
      hints: { ...hints, nonce: nonce!.ok ? Number(nonce!.value) : null },
      warnings: [],
    };
  }
}

function valueOf(result: RpcResult): unknown {
  if (!result.ok) throw refusalOf(result.error);
  return result.value;
}
