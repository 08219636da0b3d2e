import { Injectable, Optional } from '@nestjs/common';
import { Deployments, JsonRpc, type RpcResult, refusalOf, tenantRegistry } from '#chain';
import type { Hex } from '#kernel';
import { type PreparedRegistryCall, RegistryCalls } from '../../administration.ports.js';
import { noRegistry } from '../../domain/errors.js';
import { IdentitySettings } from '../../settings.js';

/** Measured: bench/results, with room for a long name. */
const CREATE_TENANT_GAS = 230_000;
const NO_SENDER = 'No sender is known: the gas estimate comes from a table and whether the call would run was not checked.';

@Injectable()
export class RpcRegistryCalls extends RegistryCalls {
  constructor(
    private readonly deployments: Deployments,
    private readonly settings: IdentitySettings,
    /** Absent in commands, which work beside a running service. */
    @Optional() private readonly rpc?: JsonRpc,
  ) {
    super();
  }

  override async createTenant(
    tenant: { readonly onChainTenantId: string; readonly name: string },
    admin: string,
    from: string | null,
  ): Promise<PreparedRegistryCall> {
    const to = await this.deployments.registry();
    if (to === null) throw noRegistry();
    const data = tenantRegistry.encodeCall('createTenant', [tenant.onChainTenantId, tenant.name, admin]) as Hex;
    const { chainId } = this.settings;
    const hints = { from, nonce: null, maxFeePerGas: null, maxPriorityFeePerGas: null };
    if (from === null || !this.rpc)
      return { preparedTx: { to, data, gasEstimate: CREATE_TENANT_GAS, chainId }, hints, warnings: [NO_SENDER] };
    const [gas, nonce] = await this.rpc.batch([
      { method: 'eth_estimateGas', params: [{ from, to, data }, 'latest'] },
      { method: 'eth_getTransactionCount', params: [from, 'pending'] },
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
