import { Interface, type InterfaceAbi } from 'ethers';
import type { Rpc } from '#client';

export interface UnsignedCall {
  readonly to: string | null;
  readonly data: string;
  readonly gasEstimate: number;
  readonly chainId: number;
}

export const callData = (abi: unknown, method: string, args: readonly unknown[]): string =>
  new Interface(abi as InterfaceAbi).encodeFunctionData(method, args);

/** A call that the service does not prepare (deployment, the registry), with its gas estimate. */
export async function estimated(rpc: Rpc, chainId: number, from: string, to: string | null, data: string): Promise<UnsignedCall> {
  const gas = await rpc.call<string>('eth_estimateGas', [{ from, ...(to && { to }), data }]);
  return { to, data, gasEstimate: Number(gas), chainId };
}
