import { tenantLotsAbi, tenantRegistryAbi } from '#contracts';
import { tenantLotsBytecode, tenantRegistryBytecode } from '#contracts/bytecode';
import { checksumAddress, type Hex, keccakOf } from '#kernel';
import { Contract, ContractFactory, HDNodeWallet, Interface, JsonRpcProvider, Mnemonic, type TransactionReceipt } from 'ethers';
import { JsonRpc } from '../rpc/index.js';

/** The mnemonic that every anvil and hardhat starts with: no secret, and of no use elsewhere. */
const DEV_MNEMONIC = 'test test test test test test test test test test test junk';

export const devWallet = (index: number): HDNodeWallet =>
  HDNodeWallet.fromMnemonic(Mnemonic.fromPhrase(DEV_MNEMONIC), `m/44'/60'/0'/0/${index}`);

/** A registry with its newest implementation, and what tests need to act on it: dev wallets as people, ethers as their tool. */
export class DemoChain {
  readonly rpc: JsonRpc;
  private readonly provider: JsonRpcProvider;

  private constructor(
    readonly url: string,
    readonly chainId: number,
    readonly registry: string,
    /** Block and transaction of the registry's deployment. */
    readonly deployed: { readonly block: number; readonly txHash: string },
  ) {
    this.rpc = new JsonRpc({ urls: [url], timeoutMs: 10_000 });
    this.provider = providerOf(url, chainId);
  }

  /** Deploys registry and implementation; dev wallet 0 owns the registry. */
  static async deploy(url: string, chainId = 31_337): Promise<DemoChain> {
    const provider = providerOf(url, chainId);
    const owner = devWallet(0).connect(provider);
    const registry = await new ContractFactory(tenantRegistryAbi, tenantRegistryBytecode, owner).deploy(owner.address);
    const receipt = (await registry.deploymentTransaction()!.wait())!;
    const lots = await new ContractFactory(tenantLotsAbi, tenantLotsBytecode, owner).deploy();
    await lots.waitForDeployment();
    await (await new Contract(receipt.contractAddress!, tenantRegistryAbi, owner).getFunction('publish')(await lots.getAddress())).wait();
    provider.destroy();
    return new DemoChain(url, chainId, checksumAddress(receipt.contractAddress!), { block: receipt.blockNumber, txHash: receipt.hash });
  }

  /** The same code as the registry's next version: tenants made from now on have it. */
  async publishAgain(): Promise<void> {
    const owner = devWallet(0).connect(this.provider);
    const lots = await new ContractFactory(tenantLotsAbi, tenantLotsBytecode, owner).deploy();
    await lots.waitForDeployment();
    await this.send(devWallet(0), this.registry, tenantRegistryAbi, 'publish', [await lots.getAddress()]);
  }

  /** A tenant's contract; `admin` (dev wallet 1 by default) gets every right. */
  async createTenant(slug: string, admin: HDNodeWallet = devWallet(1)): Promise<string> {
    const receipt = await this.send(devWallet(0), this.registry, tenantRegistryAbi, 'createTenant', [keccakOf(slug), slug, admin.address]);
    const log = receipt.logs.map((l) => new Interface(tenantRegistryAbi).parseLog(l)).find((l) => l?.name === 'TenantCreated');
    return checksumAddress(log!.args.lots as string);
  }

  /** Signs locally, sends, waits for the receipt. @throws with the contract's error name when it would revert */
  async call(wallet: HDNodeWallet, contract: string, method: string, args: readonly unknown[]): Promise<TransactionReceipt> {
    return this.send(wallet, contract, tenantLotsAbi, method, args);
  }

  /** Mints lots by one event without inputs; returns the event id and the receipt. */
  async mint(
    wallet: HDNodeWallet,
    contract: string,
    tlcs: readonly string[],
    quantity = 1_000_000n,
  ): Promise<{ eventId: Hex; receipt: TransactionReceipt }> {
    const eventId = keccakOf(`event of ${tlcs.join()}`);
    const outputs = tlcs.map((tlc) => [keccakOf(tlc), keccakOf('asset'), wallet.address, quantity, 0n]);
    const args = [eventId, keccakOf('process'), [], [], outputs, 0, keccakOf(tlcs.join())];
    return { eventId, receipt: await this.call(wallet, contract, 'recordEvent', args) };
  }

  /** Empty blocks. */
  async mine(blocks = 1): Promise<void> {
    await this.rpc.call('anvil_mine', [`0x${blocks.toString(16)}`]);
  }

  /** Replaces the last `depth` blocks; needs an anvil with history (`prune: false`). */
  async reorg(depth: number, transactions: readonly (readonly [raw: string, offset: number])[] = []): Promise<void> {
    await this.rpc.call('anvil_reorg', [depth, transactions]);
  }

  async head(): Promise<number> {
    return Number(await this.rpc.call<string>('eth_blockNumber', []));
  }

  async blockHash(number: number): Promise<string> {
    return (await this.rpc.call<{ hash: string }>('eth_getBlockByNumber', [`0x${number.toString(16)}`, false])).hash;
  }

  close(): void {
    this.provider.destroy();
  }

  private async send(
    wallet: HDNodeWallet,
    to: string,
    abi: ConstructorParameters<typeof Contract>[1],
    method: string,
    args: readonly unknown[],
  ) {
    const transaction = await new Contract(to, abi, wallet.connect(this.provider)).getFunction(method)(...args);
    return (await transaction.wait()) as TransactionReceipt;
  }
}

/** ethers as chain.md §4 says it must be set, or it waits seconds between polls and batches. */
function providerOf(url: string, chainId: number): JsonRpcProvider {
  return new JsonRpcProvider(url, chainId, { staticNetwork: true, batchMaxCount: 1, cacheTimeout: -1, pollingInterval: 20 });
}
