import type { PreparedTx } from './types.js';

/** A plain JSON-RPC call to an EVM node. @throws RpcError with the node's code and revert data */
export class Rpc {
  private id = 0;
  constructor(readonly url: string) {}

  async call<T>(method: string, params: readonly unknown[] = []): Promise<T> {
    const response = await fetch(this.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: ++this.id, method, params }),
      signal: AbortSignal.timeout(30_000),
    });
    const { result, error } = (await response.json()) as { result: T; error?: { code: number; message: string; data?: unknown } };
    if (error) throw new RpcError(method, error.code, error.message, error.data);
    return result;
  }
}

export class RpcError extends Error {
  constructor(
    readonly method: string,
    readonly code: number,
    message: string,
    readonly data: unknown,
  ) {
    super(`${method}: ${message}`);
  }
}

/** Holds the key and signs with it; an ethers `Wallet` is one. The key never leaves it. */
export interface Signer {
  readonly address: string;
  signTransaction(transaction: {
    readonly type: 2;
    readonly chainId: number;
    readonly nonce: number;
    readonly to: string | null;
    readonly data: string;
    readonly value: bigint;
    readonly gasLimit: bigint;
    readonly maxFeePerGas: bigint;
    readonly maxPriorityFeePerGas: bigint;
  }): Promise<string>;
}

export interface Receipt {
  readonly transactionHash: string;
  readonly blockNumber: string;
  readonly status: string;
  readonly contractAddress: string | null;
}

/** Signs a prepared transaction, sends it to the chain and waits for the receipt. Use one sender per wallet: it counts the nonces. */
export class Sender {
  private readonly rpc: Rpc;
  private nextNonce: Promise<number> | null = null;

  constructor(
    rpcUrl: string,
    readonly signer: Signer,
  ) {
    this.rpc = new Rpc(rpcUrl);
  }

  get address(): string {
    return this.signer.address;
  }

  /** @returns the transaction hash, as soon as the node has accepted it */
  async send(prepared: Omit<PreparedTx, 'to'> & { readonly to: string | null; readonly value?: bigint }): Promise<string> {
    try {
      return await this.rpc.call<string>('eth_sendRawTransaction', [await this.signed(prepared, await this.reserveNonce())]);
    } catch (error) {
      // Whether it arrived is not known: the node is asked for the next nonce, and none is left out.
      this.nextNonce = null;
      throw error;
    }
  }

  private async signed(prepared: Parameters<Sender['send']>[0], nonce: number): Promise<string> {
    const { baseFeePerGas } = await this.rpc.call<{ baseFeePerGas?: string }>('eth_getBlockByNumber', ['latest', false]);
    const tip = 1_000_000_000n;
    return this.signer.signTransaction({
      type: 2,
      chainId: prepared.chainId,
      nonce,
      to: prepared.to,
      data: prepared.data,
      value: prepared.value ?? 0n,
      // A fifth more than the estimate covers transactions that are mined in between.
      gasLimit: (BigInt(prepared.gasEstimate) * 12n) / 10n,
      maxFeePerGas: BigInt(baseFeePerGas ?? '0x0') * 2n + tip,
      maxPriorityFeePerGas: tip,
    });
  }

  async receipt(txHash: string, timeoutMs = 30_000): Promise<Receipt> {
    for (const deadline = Date.now() + timeoutMs; ; await pause(20)) {
      const receipt = await this.rpc.call<Receipt | null>('eth_getTransactionReceipt', [txHash]);
      if (receipt) return receipt;
      if (Date.now() > deadline) throw new Error(`transaction ${txHash} was not mined within ${timeoutMs} ms`);
    }
  }

  /** @throws when the transaction was mined and reverted */
  async sendAndWait(prepared: Parameters<Sender['send']>[0]): Promise<Receipt> {
    const receipt = await this.receipt(await this.send(prepared));
    if (receipt.status !== '0x1') throw new Error(`transaction ${receipt.transactionHash} reverted`);
    return receipt;
  }

  private reserveNonce(): Promise<number> {
    const nonce = this.nextNonce ?? this.rpc.call<string>('eth_getTransactionCount', [this.signer.address, 'pending']).then(Number);
    this.nextNonce = nonce.then((n) => n + 1);
    this.nextNonce.catch(() => undefined);
    return nonce;
  }
}

/** Replaces node:timers, which does not exist in browsers. */
export const pause = (ms: number): Promise<void> =>
  new Promise((done) => {
    setTimeout(done, ms);
  });
