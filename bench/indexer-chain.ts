import { Interface } from 'ethers';
import { JsonRpc, quantity } from '#chain';
import { addressOf, type ContentStore } from '#content-storage';
import { tenantLotsAbi } from '#contracts';
import { canonicalJson, eventIdBytes, keccakOf, newId } from '#kernel';

const lots = new Interface(tenantLotsAbi);
/** One `EventRecorded` and five `LotMinted`. */
export const LOGS_A_TRANSACTION = 6;
const OUTPUTS = LOGS_A_TRANSACTION - 1;
const TRANSACTIONS_A_BLOCK = 20;
const AT_ONCE = 100;
const KG = 1_000_000n;

/**
 * Writes real transactions of a company into anvil: each makes five lots of a piece of one lot that was made before, with its content
 * in the store. The node signs (it is a development node); the contract checks everything as it does with a signature.
 */
export class ChainWriter {
  private next: bigint | null = null;
  private serial = 0;

  private constructor(
    private readonly rpc: JsonRpc,
    private readonly at: { readonly chainId: number; readonly contract: string; readonly from: string },
    private readonly content: ContentStore,
    private readonly processType: string,
    private readonly gas: string,
  ) {}

  static async open(
    url: string,
    at: { readonly chainId: number; readonly contract: string; readonly from: string },
    content: ContentStore,
    processType: string,
  ): Promise<ChainWriter> {
    const rpc = new JsonRpc({ urls: [url], timeoutMs: 60_000 });
    await rpc.call('anvil_autoImpersonateAccount', [true]);
    await rpc.call('anvil_setBalance', [at.from, quantity(10n ** 24n)]);
    return new ChainWriter(rpc, at, content, processType, quantity(1_400_000));
  }

  /** One transaction in a block of its own, mined at once; the first lot that it makes. */
  async one(): Promise<bigint> {
    const token = await this.nextToken();
    const call = await this.call();
    await this.rpc.call('eth_sendTransaction', [call]);
    return token;
  }

  /** @returns first and last block of what was written */
  async write(logs: number, say: (line: string) => void): Promise<{ readonly from: number; readonly to: number }> {
    const count = Math.ceil(logs / LOGS_A_TRANSACTION);
    const from = (await this.head()) + 1;
    await this.nextToken();
    await this.rpc.call('evm_setAutomine', [false]);
    const begun = performance.now();
    for (let done = 0; done < count;) {
      const some = Math.min(AT_ONCE, count - done);
      const calls = await Promise.all(Array.from({ length: some }, () => this.call()));
      for (let i = 0; i < some; i += TRANSACTIONS_A_BLOCK) {
        const results = await this.rpc.batch(
          calls.slice(i, i + TRANSACTIONS_A_BLOCK).map((call) => ({ method: 'eth_sendTransaction', params: [call] })),
        );
        const refused = results.find((result) => !result.ok);
        if (refused && !refused.ok) throw refused.error;
        await this.rpc.call('evm_mine', []);
      }
      done += some;
      if (done % 2000 === 0) say(`${done} of ${count} transactions in ${((performance.now() - begun) / 1000).toFixed(0)} s`);
    }
    await this.rpc.call('evm_setAutomine', [true]);
    return { from, to: await this.head() };
  }

  async head(): Promise<number> {
    return Number(await this.rpc.call<string>('eth_blockNumber', []));
  }

  /** Calldata of the next event, its content stored. The lot it draws on is the last event's first one. */
  private async call(): Promise<object> {
    const { chainId, contract, from } = this.at;
    const first = this.next!;
    this.next = first + BigInt(OUTPUTS);
    const eventId = newId();
    const outputs = Array.from({ length: OUTPUTS }, () => `BENCH-${(++this.serial).toString(36).toUpperCase().padStart(7, '0')}`);
    const envelope = {
      v: 1,
      chainId,
      contract,
      eventId,
      processType: this.processType,
      outputs: outputs.map((tlc) => ({ tlc, assetType: 'RICE', uom: 'kg' })),
      metadata: { eventTime: '2026-09-15T08:00:00Z', eventTimeZoneOffset: '+07:00', location: { name: 'Field 7' }, moisture: 13.5 },
    };
    const bytes = Buffer.from(canonicalJson(envelope));
    const stored = this.content.put(bytes);
    const { dataHash } = addressOf(bytes);
    const minted = outputs.map((tlc) => [keccakOf(tlc), keccakOf('RICE'), from, 1_000n * KG, 0n]);
    const inputs = this.serial > OUTPUTS ? [first - BigInt(OUTPUTS)] : [];
    const args = [eventIdBytes(eventId), keccakOf(this.processType), inputs, inputs.map(() => KG), minted, 0, dataHash];
    await stored;
    return { from, to: contract, gas: this.gas, data: lots.encodeFunctionData('recordEvent', args) };
  }

  private async nextToken(): Promise<bigint> {
    const call = { to: this.at.contract, data: lots.encodeFunctionData('nextTokenId') };
    return (this.next ??= BigInt(await this.rpc.call<string>('eth_call', [call, 'latest'])));
  }
}
