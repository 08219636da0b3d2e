import { DomainError, refusal } from '#kernel';
import { encodeCall } from '../codec/tenant-lots.js';
import {
  type PreparedCall,
  type PrepareRequest,
  type TransactionHints,
  TransactionPreparer,
  withConsecutiveNonces,
} from './transaction-preparer.js';
import type { JsonRpc } from '../rpc/json-rpc.js';
import type { RpcCall, RpcResult } from '../rpc/rpc-endpoint.js';
import { refusalOf } from './reverts.js';

/** EIP-7825: no chain after Osaka accepts a transaction with more. */
const GAS_CAP = 16_777_216;
/** The minimum of most public chains; used when the node gives no advice. */
const DEFAULT_TIP = 1_000_000_000n;

const gasLimitExceeded = refusal(
  'gas_limit_exceeded',
  422,
  (gas: number) => `The transaction needs about ${gas} gas; a transaction may use ${GAS_CAP}. Split it into smaller ones.`,
  (gas: number) => ({ gasEstimate: gas, gasLimit: GAS_CAP }),
);

const NO_SENDER = 'No sender is known: the gas estimate comes from a table, and it was not checked whether the call would succeed.';

type Fees = Pick<TransactionHints, 'maxFeePerGas' | 'maxPriorityFeePerGas'>;
const NO_FEES: Fees = { maxFeePerGas: null, maxPriorityFeePerGas: null };

/** Fee advice of this age is still good enough: it leaves room for the base fee to double, which takes six blocks. */
const FEES_VALID_MS = 1_000;

/** Estimates and nonces need a few requests to the node, for any number of calls. Fee advice is read once a second for all callers. */
export class RpcTransactionPreparer extends TransactionPreparer {
  private feesReadAt = 0;
  private latestFees: Promise<Fees> = Promise.resolve(NO_FEES);

  constructor(
    private readonly rpc: JsonRpc,
    private readonly chainId: number,
  ) {
    super();
  }

  override async prepare(request: PrepareRequest): Promise<PreparedCall> {
    const [answer] = await this.prepareAll([request]);
    if (answer instanceof DomainError) throw answer;
    return answer!;
  }

  override async prepareAll(requests: readonly PrepareRequest[]): Promise<readonly (PreparedCall | DomainError)[]> {
    const calls = requests.map((request): EncodedCall => ({ ...request, data: attempt(() => encodeCall(request.method, request.args)) }));
    const toEstimate = calls.filter(canBeEstimated);
    const [{ gas, nonces }, fees] =
      toEstimate.length === 0 ? [NO_ESTIMATES, NO_FEES] : await Promise.all([this.estimates(toEstimate), this.fees()]);
    return withConsecutiveNonces(
      calls.map((call) => {
        const { from, contract, method, args, data } = call;
        if (data instanceof DomainError) return data;
        if (from === null) return attempt(() => this.preparedCall(contract, data, gasFromTable(method, args), NO_HINTS, [NO_SENDER]));
        const [estimate, nonce] = [gas.get(call)!, nonces.get(from)!];
        if (!estimate.ok) return refusalOf(estimate.error);
        const hints = { from, nonce: nonce.ok ? Number(nonce.value) : null, ...fees };
        return attempt(() => this.preparedCall(contract, data, Number(estimate.value), hints, []));
      }),
    );
  }

  /**
   * For an estimate the node runs a call about twelve times to find the limit. Of similar calls, only one is estimated; each of the others
   * is run once with that limit and a small margin. A call that succeeds needs no more; one that fails is estimated itself, for its limit
   * or its error.
   */
  private async estimates(calls: readonly EstimableCall[]): Promise<Estimates> {
    const groups = [...groupSimilar(calls).values()];
    const firsts = groups.map(([first]) => first!);
    const senders = [...new Set(calls.map(({ from }) => from))];
    const answers = await this.rpc.batch([...firsts.map(estimate), ...senders.map(nonceOf)]);
    const gas = new Map<EncodedCall, RpcResult>(zip(firsts, answers));
    const trials = groups.flatMap(([first, ...rest]) => {
      const limit = gas.get(first!)!;
      return limit.ok ? rest.map((call) => ({ call, limit: withMargin(limit.value) })) : [];
    });
    const runs = trials.length === 0 ? [] : await this.rpc.batch(trials.map(({ call, limit }) => run(call, limit)));
    for (const [i, { call, limit }] of trials.entries()) if (runs[i]!.ok) gas.set(call, { ok: true, value: limit });
    const left = calls.filter((call) => !gas.has(call));
    if (left.length > 0) for (const [call, answer] of zip(left, await this.rpc.batch(left.map(estimate)))) gas.set(call, answer);
    return { gas, nonces: new Map(zip(senders, answers.slice(firsts.length))) };
  }

  /** @param retry a failed read of another caller, perhaps while the node was away, must not fail this one */
  private fees(retry = true): Promise<Fees> {
    if (Date.now() - this.feesReadAt < FEES_VALID_MS) return retry ? this.latestFees.catch(() => this.fees(false)) : this.latestFees;
    this.feesReadAt = Date.now();
    this.latestFees = this.rpc.batch(FEE_CALLS).then(([latest, tip]) => feesFrom(latest!, tip!));
    this.latestFees.catch(() => {
      this.feesReadAt = 0;
    });
    return this.latestFees;
  }

  private preparedCall(to: string, data: string, gas: number, hints: TransactionHints, warnings: readonly string[]): PreparedCall {
    if (gas > GAS_CAP) throw gasLimitExceeded(gas);
    return { preparedTx: { to, data, gasEstimate: gas, chainId: this.chainId }, hints, warnings };
  }
}

const NO_HINTS: TransactionHints = { from: null, nonce: null, ...NO_FEES };

/** Returns a DomainError as the result of the call instead of throwing it. */
function attempt<T>(work: () => T): T | DomainError {
  try {
    return work();
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}

/** A call with its calldata, or the error of encoding it. */
type EncodedCall = PrepareRequest & { readonly data: string | DomainError };
type EstimableCall = PrepareRequest & { readonly from: string; readonly data: string };

interface Estimates {
  readonly gas: ReadonlyMap<EncodedCall, RpcResult>;
  readonly nonces: ReadonlyMap<string, RpcResult>;
}
const NO_ESTIMATES: Estimates = { gas: new Map(), nonces: new Map() };

const canBeEstimated = (call: EncodedCall): call is EstimableCall => call.from !== null && !(call.data instanceof DomainError);
const zip = <K, V>(keys: readonly K[], values: readonly V[]): [K, V][] => keys.map((key, i) => [key, values[i]!]);

/** By sender, contract, method and length. */
function groupSimilar(calls: readonly EstimableCall[]): ReadonlyMap<string, EstimableCall[]> {
  const groups = new Map<string, EstimableCall[]>();
  for (const call of calls) {
    const key = `${call.from} ${call.contract} ${call.data.slice(0, 10)} ${call.data.length}`;
    const group = groups.get(key);
    if (group) group.push(call);
    else groups.set(key, [call]);
  }
  return groups;
}

const nonceOf = (from: string): RpcCall => ({ method: 'eth_getTransactionCount', params: [from, 'pending'], optional: true });
const estimate = ({ from, contract, data }: EstimableCall): RpcCall => ({
  method: 'eth_estimateGas',
  params: [{ from, to: contract, data }, 'latest'],
});
const run = ({ from, contract, data }: EstimableCall, gas: string): RpcCall => ({
  method: 'eth_call',
  params: [{ from, to: contract, data, gas }, 'latest'],
});

/** Non-zero bytes of calldata cost more, and hashes have different numbers of them. One percent is more than this difference. */
function withMargin(gas: unknown): string {
  const [estimated, cap] = [BigInt(gas as string), BigInt(GAS_CAP)];
  const more = (estimated * 101n) / 100n;
  return `0x${(estimated < cap && more > cap ? cap : more).toString(16)}`;
}

const FEE_CALLS: readonly RpcCall[] = [
  { method: 'eth_getBlockByNumber', params: ['latest', false] },
  { method: 'eth_maxPriorityFeePerGas', params: [], optional: true },
];

/** Leaves room for the base fee to double before the transaction is mined; null for chains without EIP-1559 fees. */
function feesFrom(latest: RpcResult, tip: RpcResult): Fees {
  const baseFee = latest.ok ? (latest.value as { readonly baseFeePerGas?: string } | null)?.baseFeePerGas : undefined;
  if (baseFee === undefined) return { maxFeePerGas: null, maxPriorityFeePerGas: null };
  const priority = tip.ok ? BigInt(tip.value as string) : DEFAULT_TIP;
  return { maxFeePerGas: (2n * BigInt(baseFee) + priority).toString(), maxPriorityFeePerGas: priority.toString() };
}

/**
 * Gas of a call when no sender is known and the chain cannot estimate it: the measured figures of the contract's gas table
 * (bench/results/gas.md), without the 42k of a party's first appearance. Base, plus gas per element of the longest lists.
 */
const TABLE: Readonly<Record<string, { readonly base: number; readonly perInput?: number; readonly perOutput?: number }>> = {
  recordEvent: { base: 68_000, perInput: 8_300, perOutput: 53_500 },
  voidEvent: { base: 55_000, perInput: 5_500, perOutput: 9_000 },
  amendEvent: { base: 70_000 },
  offerCustody: { base: 52_000, perInput: 7_300 },
  acceptCustody: { base: 44_000, perInput: 7_300 },
  offerParts: { base: 46_000, perInput: 35_800 },
  acceptParts: { base: 52_000, perInput: 38_200 },
  rejectCustody: { base: 36_000, perInput: 6_000 },
  cancelCustody: { base: 36_000, perInput: 6_000 },
  recall: { base: 58_000 },
  recallMany: { base: 52_000, perInput: 6_500 },
  liftRecall: { base: 33_000, perInput: 6_600 },
  retire: { base: 36_000, perInput: 6_500 },
  settle: { base: 30_000, perInput: 12_000 },
  setProcessScope: { base: 28_000, perInput: 24_500 },
  setRoles: { base: 50_000 },
};
const OTHERS = 80_000;
/** An event that is attached to a custody or retire call adds its commitment and its log. */
const ATTACHED_EVENT = 42_000;
const ZERO_ID = /^0x0*$/;

export function gasFromTable(method: string, args: readonly unknown[]): number {
  const row = TABLE[method] ?? { base: OTHERS };
  const lists = args.filter((arg): arg is unknown[] => Array.isArray(arg));
  const inputs = lists.find((list) => typeof list[0] !== 'object')?.length ?? 0;
  const outputs = lists.find((list) => typeof list[0] === 'object')?.length ?? 0;
  return row.base + (row.perInput ?? 0) * inputs + (row.perOutput ?? 0) * outputs + (args.some(isAttachedEvent) ? ATTACHED_EVENT : 0);
}

function isAttachedEvent(arg: unknown): boolean {
  if (arg === null || typeof arg !== 'object' || !('eventId' in arg) || !('processId' in arg)) return false;
  return typeof arg.eventId === 'string' && !ZERO_ID.test(arg.eventId) && !('mode' in arg);
}
