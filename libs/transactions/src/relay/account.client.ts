import { Injectable } from '@nestjs/common';
import { batchRefusalOf, JsonRpc, passkeyAccount, refusalOf, type RpcCall, type RpcResult } from '#chain';
import { type DomainError, EngineUnavailable, refusal } from '#kernel';

/** EIP-7825: no chain after Osaka accepts a transaction with more. */
export const GAS_CAP = 16_777_216n;
const DEFAULT_TIP = 1_000_000_000n;

const tooMuchGas = refusal(
  'gas_limit_exceeded',
  422,
  (gas: string) => `The batch needs about ${gas} gas; a transaction may use ${GAS_CAP}. Relay it in smaller parts.`,
);

/** Room for what changes between estimate and block. @throws DomainError 422 `gas_limit_exceeded` */
export function gasLimitFor(estimate: bigint): bigint {
  const limit = (estimate * 12n) / 10n;
  if (limit > GAS_CAP) throw tooMuchGas(String(limit));
  return limit;
}

/** Wei per gas. */
export interface Fees {
  readonly maxFee: bigint;
  readonly tip: bigint;
}

export interface Batch {
  /** The sponsor and the account, EIP-55. */
  readonly from: string;
  readonly to: string;
  readonly data: string;
}

/** Questions about accounts and batches to the chain. */
@Injectable()
export class AccountClient {
  constructor(private readonly rpc: JsonRpc) {}

  /** @throws EngineUnavailable('chain') */
  async isDeployed(account: string): Promise<boolean> {
    return (await this.rpc.call<string>('eth_getCode', [account, 'latest'])) !== '0x';
  }

  /** @throws EngineUnavailable('chain') */
  async nextSequence(account: string, keyId: string, lane: number): Promise<number> {
    const data = passkeyAccount.encodeView('nextSequence', [keyId, lane]);
    return Number(await this.rpc.call<string>('eth_call', [{ to: account, data }, 'latest']));
  }

  /** What a transaction may cost so that it is mined soon, and half a minute later too. @throws EngineUnavailable('chain') */
  async fees(): Promise<Fees> {
    return feesOf(await this.rpc.batch(FEE_CALLS));
  }

  /** @returns gas, or why it would fail @throws EngineUnavailable('chain') */
  async estimate(batch: Batch): Promise<bigint | DomainError> {
    return estimateOf((await this.rpc.batch([estimateCall(batch)]))[0]!, batchRefusalOf);
  }
}

export const FEE_CALLS: readonly RpcCall[] = [
  { method: 'eth_getBlockByNumber', params: ['latest', false] },
  { method: 'eth_maxPriorityFeePerGas', params: [], optional: true },
];

/** @param answers to `FEE_CALLS` */
export function feesOf([latest, advice]: readonly RpcResult[]): Fees {
  if (!latest?.ok) throw new EngineUnavailable('chain', latest?.error);
  const base = BigInt((latest.value as { readonly baseFeePerGas?: string }).baseFeePerGas ?? '0x0');
  const tip = advice?.ok ? BigInt(advice.value as string) : DEFAULT_TIP;
  return { maxFee: 2n * base + tip, tip };
}

export const estimateCall = ({ from, to, data }: Batch): RpcCall => ({ method: 'eth_estimateGas', params: [{ from, to, data }, 'latest'] });

export function estimateOf(answer: RpcResult, refuse: typeof refusalOf): bigint | DomainError {
  return answer.ok ? BigInt(answer.value as string) : refuse(answer.error);
}

export const nonceCall = (sender: string): RpcCall => ({ method: 'eth_getTransactionCount', params: [sender, 'latest'] });
export const balanceCall = (sender: string): RpcCall => ({ method: 'eth_getBalance', params: [sender, 'latest'] });
export const codeCall = (account: string): RpcCall => ({ method: 'eth_getCode', params: [account, 'latest'] });
export const receiptCall = (hash: string): RpcCall => ({ method: 'eth_getTransactionReceipt', params: [hash] });
