import { AbiCoder } from 'ethers';
import { Rpc, Sender } from '#client';
import { tenantRegistryAbi } from '#contracts';
import { passkeyAccountFactoryBytecode, tenantLotsBytecode, tenantRegistryBytecode } from '#contracts/bytecode';
import { callData, estimated } from './contract-call.js';
import type { DevWallet } from './dev-wallets.js';

/** Deploys a registry owned by `operator`, with the compiled TenantLots as its version 1. @returns the registry's address, EIP-55 */
export async function deployContracts(rpcUrl: string, chainId: number, operator: DevWallet): Promise<string> {
  const sender = new Sender(rpcUrl, operator);
  const deploy = async (data: string): Promise<string> => {
    const { contractAddress } = await sender.sendAndWait(await estimated(new Rpc(rpcUrl), chainId, sender.address, null, data));
    return contractAddress!;
  };
  const registry = await deploy(tenantRegistryBytecode + AbiCoder.defaultAbiCoder().encode(['address'], [operator.address]).slice(2));
  const implementation = await deploy(tenantLotsBytecode);
  await sender.sendAndWait(
    await estimated(new Rpc(rpcUrl), chainId, sender.address, registry, callData(tenantRegistryAbi, 'publish', [implementation])),
  );
  return registry;
}

/** Deploys the factory of passkey accounts; nobody owns it. @returns its address, EIP-55 */
export async function deployAccountFactory(rpcUrl: string, chainId: number, operator: DevWallet): Promise<string> {
  const sender = new Sender(rpcUrl, operator);
  const call = await estimated(new Rpc(rpcUrl), chainId, sender.address, null, passkeyAccountFactoryBytecode);
  return (await sender.sendAndWait(call)).contractAddress!;
}
