import { setTimeout } from 'node:timers/promises';
import { Interface, type JsonRpcProvider, MaxUint256, type TransactionReceipt, ZeroHash, id } from 'ethers';
import { tenantLotsAbi, tenantRegistryAbi } from '../generated/abi.js';
import { tenantLotsBytecode, tenantRegistryBytecode } from '../generated/bytecode.js';

const lots = new Interface(tenantLotsAbi);
const registry = new Interface(tenantRegistryAbi);

/** Below EIP-7825's 2^24: what no transaction may ask for, no figure may need. */
const gasLimit = `0x${(16_777_216).toString(16)}`;

/** As an input quantity: all that remains. */
export const ALL = MaxUint256;
export const ADMIN = 1n;
export const OPERATOR_ALL = 2n;
export const OPERATOR = 4n;

export interface EventRef {
  readonly eventId: string;
  readonly processId: string;
  readonly dataHash: string;
}
export const noEvent: EventRef = { eventId: ZeroHash, processId: ZeroHash, dataHash: ZeroHash };

export interface Output {
  readonly tlcHash: string;
  readonly assetType: string;
  readonly custodian: string;
  readonly quantity: bigint;
  readonly expiresAt: number;
}

/** Everything in it is derived from a counter, so that each run sends the same bytes and uses the same gas. */
export class TenantContract {
  private serial = 0;
  private nextId = 1n;
  private nextOffer = 1n;
  readonly deployment: { readonly lots: number; readonly registry: number; readonly tenant: number };

  private constructor(
    private readonly provider: JsonRpcProvider,
    readonly address: string,
    readonly accounts: readonly string[],
    gas: { lots: number; registry: number; tenant: number },
  ) {
    this.deployment = gas;
  }

  /** Publishes a version and makes a tenant of it; its admin is the first of the node's unlocked accounts. */
  static async create(provider: JsonRpcProvider): Promise<TenantContract> {
    const accounts = (await provider.send('eth_accounts', [])) as string[];
    const admin = accounts[0] ?? fail('the node has no unlocked account');
    const implementation = await transact(provider, admin, null, tenantLotsBytecode);
    const constructorArguments = registry.encodeDeploy([admin]).slice(2);
    const registered = await transact(provider, admin, null, tenantRegistryBytecode + constructorArguments);
    const call = (name: string, args: readonly unknown[]) =>
      transact(provider, admin, registered.contractAddress, registry.encodeFunctionData(name, args));
    await call('publish', [implementation.contractAddress]);
    const created = await call('createTenant', [id('bench'), 'Bench', admin]);
    const log = created.logs.map((entry) => registry.parseLog(entry)).find((entry) => entry?.name === 'TenantCreated');
    return new TenantContract(provider, String(log?.args.getValue('lots')), accounts, {
      lots: Number(implementation.gasUsed),
      registry: Number(registered.gasUsed),
      tenant: Number(created.gasUsed),
    });
  }

  /** @returns the gas used. @throws if the transaction fails */
  async send(from: string, method: string, args: readonly unknown[]): Promise<number> {
    const receipt = await transact(this.provider, from, this.address, lots.encodeFunctionData(method, args));
    return Number(receipt.gasUsed);
  }

  /** The bytes of a call that mints, for somebody who sends them in another way. */
  minting(count: number, custodian: string): string {
    const { eventId, processId, dataHash } = this.event();
    return lots.encodeFunctionData('recordEvent', [eventId, processId, [], [], this.outputs(count, custodian), 0, dataHash]);
  }

  /** After calls that were sent in another way. */
  skipIds(count: number): void {
    this.nextId += BigInt(count);
  }

  fresh(kind: string): string {
    this.serial += 1;
    return id(`${kind} ${this.serial}`);
  }

  event(): EventRef {
    return { eventId: this.fresh('event'), processId: id('process'), dataHash: this.fresh('content') };
  }

  outputs(count: number, custodian: string, quantity = 1_000_000_000n): Output[] {
    return Array.from({ length: count }, () => ({
      tlcHash: this.fresh('tlc'),
      assetType: id('asset type'),
      custodian,
      quantity,
      expiresAt: 1_800_000_000,
    }));
  }

  /** @returns with the gas, the ids of the minted lots and the event as it must be given to void it */
  async record(from: string, inputs: readonly bigint[], quantities: readonly bigint[], outputs: readonly Output[], mode = 0) {
    const { eventId, processId, dataHash } = this.event();
    const firstOutputId = this.nextId;
    const gas = await this.send(from, 'recordEvent', [eventId, processId, inputs, quantities, outputs, mode, dataHash]);
    this.nextId += BigInt(outputs.length);
    return {
      gas,
      ids: outputs.map((_, index) => firstOutputId + BigInt(index)),
      header: { eventId, processId, actor: from, mode, firstOutputId, dataHash },
    };
  }

  async mint(from: string, count: number): Promise<bigint[]> {
    return (await this.record(from, [], [], this.outputs(count, from))).ids;
  }

  async pack(from: string, ids: readonly bigint[]) {
    const { gas, ids: outputs } = await this.record(from, ids, [], this.outputs(1, from, 0n), 1);
    return { gas, container: outputs[0] ?? fail('no container') };
  }

  async unpack(from: string, container: bigint): Promise<number> {
    return (await this.record(from, [container], [], [], 2)).gas;
  }

  async offer(from: string, ids: readonly bigint[], to: string, event: EventRef = noEvent) {
    const offerNo = this.nextOffer;
    const gas = await this.send(from, 'offerCustody', [ids, to, event]);
    this.nextOffer += 1n;
    return { gas, offerNo };
  }

  /** Offers a part of each lot; the parts are new lots. */
  async offerParts(from: string, ids: readonly bigint[], quantity: bigint, to: string, event: EventRef = noEvent) {
    const offerNo = this.nextOffer;
    const gas = await this.send(from, 'offerParts', [ids, ids.map(() => quantity), to, event]);
    this.nextOffer += 1n;
    return { gas, offerNo, parts: ids.map(() => this.nextId++) };
  }

  /** Takes less of each lot than was offered, as a shortage. */
  async acceptParts(by: string, offerNo: bigint, ids: readonly bigint[], quantity: bigint): Promise<number> {
    const gas = await this.send(by, 'acceptParts', [offerNo, ids, ids.map(() => quantity), 1, noEvent]);
    this.nextId += BigInt(ids.length);
    return gas;
  }

  async accept(by: string, offerNo: bigint, ids: readonly bigint[], event: EventRef = noEvent): Promise<number> {
    return this.send(by, 'acceptCustody', [offerNo, ids, event]);
  }
}

export async function transact(provider: JsonRpcProvider, from: string, to: string | null, data: string): Promise<TransactionReceipt> {
  const hash = (await provider.send('eth_sendTransaction', [{ from, ...(to && { to }), data, gas: gasLimit }])) as string;
  const deadline = Date.now() + 30_000;
  while (Date.now() < deadline) {
    // Polled here: ethers waits for a next block, which an idle chain that mines at once does not make.
    const receipt = await provider.getTransactionReceipt(hash);
    if (receipt) return receipt.status === 1 ? receipt : fail(`${hash} failed`);
    await setTimeout(5);
  }
  return fail(`${hash} was not mined`);
}

function fail(message: string): never {
  throw new Error(message);
}
