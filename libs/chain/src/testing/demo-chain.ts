import { tenantLotsAbi, tenantRegistryAbi } from '#contracts';
import { tenantLotsBytecode, tenantRegistryBytecode } from '#contracts/bytecode';
import { checksumAddress, type Hex, keccakOf } from '#kernel';
import {
  Contract,
  ContractFactory,
  HDNodeWallet,
  Interface,
  type InterfaceAbi,
  JsonRpcProvider,
  Mnemonic,
  type TransactionReceipt,
} from 'ethers';
import { setTimeout as sleep } from 'node:timers/promises';
import { JsonRpc } from '../rpc/json-rpc.js';

/** The default mnemonic of anvil and hardhat. It is public and has no value elsewhere. */
const DEV_MNEMONIC = 'test test test test test test test test test test test junk';

export const devWallet = (index: number): HDNodeWallet =>
  HDNodeWallet.fromMnemonic(Mnemonic.fromPhrase(DEV_MNEMONIC), `m/44'/60'/0'/0/${index}`);

/** A registry with its newest implementation, and what tests need to act on it: dev wallets and ethers. */
export class DemoChain {
  readonly rpc: JsonRpc;
  private readonly provider: JsonRpcProvider;

  constructor(
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
    const registry = await deployContract(owner, tenantRegistryAbi, tenantRegistryBytecode, [owner.address]);
    const address = checksumAddress(registry.contractAddress!);
    const lots = await deployContract(owner, tenantLotsAbi, tenantLotsBytecode);
    await execute(owner, address, tenantRegistryAbi, 'publish', [lots.contractAddress]);
    provider.destroy();
    return new DemoChain(url, chainId, address, { block: registry.blockNumber, txHash: registry.hash });
  }

  /** Publishes the same code as the registry's next version: tenants created from now on have it. */
  async publishAgain(): Promise<void> {
    const lots = await deployContract(devWallet(0).connect(this.provider), tenantLotsAbi, tenantLotsBytecode);
    await this.send(devWallet(0), this.registry, tenantRegistryAbi, 'publish', [lots.contractAddress]);
  }

  /** Creates a tenant's contract; `admin` (dev wallet 1 by default) gets every right. */
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

  /** Replaces the last `depth` blocks; needs an anvil that `canReorg`. */
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

  private send(wallet: HDNodeWallet, to: string, abi: InterfaceAbi, method: string, args: readonly unknown[]): Promise<TransactionReceipt> {
    return execute(wallet.connect(this.provider), to, abi, method, args);
  }
}

const RECEIPT_TIMEOUT_MS = 60_000;

async function execute(
  wallet: HDNodeWallet,
  to: string,
  abi: InterfaceAbi,
  method: string,
  args: readonly unknown[],
): Promise<TransactionReceipt> {
  const { hash } = await new Contract(to, abi, wallet).getFunction(method)(...args);
  return receiptOf(wallet, hash as string);
}

async function deployContract(
  wallet: HDNodeWallet,
  abi: InterfaceAbi,
  bytecode: string,
  args: readonly unknown[] = [],
): Promise<TransactionReceipt> {
  const contract = await new ContractFactory(abi, bytecode, wallet).deploy(...args);
  return receiptOf(wallet, contract.deploymentTransaction()!.hash);
}

/**
 * Polls for the receipt itself. ethers' `wait` polls for blocks: a transaction that is mined between its first two requests is in a block
 * that it takes for the head, and it waits for the next block, which never comes on a quiet chain.
 */
async function receiptOf({ provider }: HDNodeWallet, hash: string): Promise<TransactionReceipt> {
  for (const deadline = Date.now() + RECEIPT_TIMEOUT_MS; Date.now() < deadline; await sleep(5)) {
    const receipt = await provider!.getTransactionReceipt(hash);
    if (receipt?.status === 0) throw new Error(`transaction ${hash} was reverted`);
    if (receipt) return receipt;
  }
  throw new Error(`transaction ${hash} has no receipt after ${RECEIPT_TIMEOUT_MS} ms`);
}

/** Without these options ethers collects requests and caches answers. */
function providerOf(url: string, chainId: number): JsonRpcProvider {
  return new JsonRpcProvider(url, chainId, { staticNetwork: true, batchMaxCount: 1, cacheTimeout: -1 });
}
