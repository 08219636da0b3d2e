import { Injectable } from '@nestjs/common';
import { batchRefusalOf, JsonRpc, keyIdOf, passkeyAccount, quantity, refusalOf, type RpcCall, type RpcResult } from '#chain';
import type { PasskeyAccount } from '#identity';
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
  /** Of the last block. */
  readonly base: bigint;
  readonly maxFee: bigint;
  readonly tip: bigint;
}

export interface Batch {
  /** The sponsor and the account, EIP-55. */
  readonly from: string;
  readonly to: string;
  readonly data: string;
}

export interface LaneOfKey {
  readonly keyId: string;
  readonly lane: number;
}

interface ChainPlaces {
  /** What a transaction may cost so that it is mined soon, and half a minute later too. */
  readonly fees: Fees;
  readonly deployed: boolean;
  /** Of each lane its next sequence, and whether its key signs for the account. */
  readonly places: readonly { readonly next: number; readonly signs: boolean }[];
}

/** Questions about accounts and batches to the chain. */
@Injectable()
export class AccountClient {
  constructor(private readonly rpc: JsonRpc) {}

  /** In one request; nothing is done before the account is deployed. @throws EngineUnavailable('chain') */
  async places(account: Deployable, lanes: readonly LaneOfKey[]): Promise<ChainPlaces> {
    return placesOf(account, lanes, await this.rpc.batch(placeCalls(account, lanes)));
  }

  /** The same, and why the batch would fail now; null when it would not. @throws EngineUnavailable('chain') */
  async tryBatch(
    account: Deployable,
    lanes: readonly LaneOfKey[],
    batch: Batch,
  ): Promise<ChainPlaces & { readonly refused: () => DomainError | null }> {
    const answers = await this.rpc.batch([...placeCalls(account, lanes), tryCall(batch)]);
    const tried = answers.at(-1)!;
    return { ...placesOf(account, lanes, answers), refused: () => (tried.ok ? null : batchRefusalOf(tried.error)) };
  }
}

type Deployable = Pick<PasskeyAccount, 'address' | 'config'>;

function placeCalls({ address }: Deployable, lanes: readonly LaneOfKey[]): RpcCall[] {
  const asked = lanes.flatMap(({ keyId, lane }) => [
    viewCall(address, 'nextSequence', [keyId, lane]),
    viewCall(address, 'hasKey', [keyId]),
  ]);
  return [...FEE_CALLS, codeCall(address), ...asked];
}

/** @param answers to `placeCalls`, and perhaps more */
function placesOf({ config }: Deployable, lanes: readonly LaneOfKey[], answers: readonly RpcResult[]): ChainPlaces {
  const [code, ...words] = answers.slice(FEE_CALLS.length, FEE_CALLS.length + 1 + 2 * lanes.length).map(valueOf);
  const deployed = code !== '0x';
  const first = new Set<string>(config.keys.map(keyIdOf));
  const places = lanes.map(({ keyId }, i) =>
    deployed ? { next: Number(words[2 * i]), signs: BigInt(words[2 * i + 1]!) === 1n } : { next: 0, signs: first.has(keyId) },
  );
  return { fees: feesOf(answers), deployed, places };
}

function valueOf(answer: RpcResult): string {
  if (!answer.ok) throw answer.error;
  return answer.value as string;
}

const viewCall = (account: string, name: string, args: readonly unknown[]): RpcCall => ({
  method: 'eth_call',
  params: [{ to: account, data: passkeyAccount.encodeView(name, args) }, 'latest'],
});

export const FEE_CALLS: readonly RpcCall[] = [
  { method: 'eth_getBlockByNumber', params: ['latest', false] },
  { method: 'eth_maxPriorityFeePerGas', params: [], optional: true },
];

/** @param answers to `FEE_CALLS` */
export function feesOf([latest, advice]: readonly RpcResult[]): Fees {
  if (!latest?.ok) throw new EngineUnavailable('chain', latest?.error);
  const base = BigInt((latest.value as { readonly baseFeePerGas?: string }).baseFeePerGas ?? '0x0');
  const tip = advice?.ok ? BigInt(advice.value as string) : DEFAULT_TIP;
  return { base, maxFee: 2n * base + tip, tip };
}

/** Once, where an estimate runs it a dozen times. */
const tryCall = ({ from, to, data }: Batch): RpcCall => ({
  method: 'eth_call',
  params: [{ from, to, data, gas: quantity(GAS_CAP) }, 'latest'],
});

export const estimateCall = ({ from, to, data }: Batch): RpcCall => ({ method: 'eth_estimateGas', params: [{ from, to, data }, 'latest'] });

export function estimateOf(answer: RpcResult, refuse: typeof refusalOf): bigint | DomainError {
  return answer.ok ? BigInt(answer.value as string) : refuse(answer.error);
}

export const nonceCall = (sender: string): RpcCall => ({ method: 'eth_getTransactionCount', params: [sender, 'latest'] });
export const balanceCall = (sender: string): RpcCall => ({ method: 'eth_getBalance', params: [sender, 'latest'] });
export const codeCall = (account: string): RpcCall => ({ method: 'eth_getCode', params: [account, 'latest'] });
export const receiptCall = (hash: string): RpcCall => ({ method: 'eth_getTransactionReceipt', params: [hash] });
