import { DomainError, refusal } from '#kernel';
import { encodeCall } from '../codec/index.js';
import { type PreparedCall, type PrepareRequest, type TransactionHints, TransactionPreparer, countedUp } from '../prepare-transaction.js';
import { type JsonRpc, type RpcCall, type RpcResult } from '../rpc/index.js';
import { gasFromTable } from './gas-table.js';
import { refusalOf } from './reverts.js';

/** EIP-7825: no chain after Osaka takes a transaction with more. */
const GAS_CAP = 16_777_216;
/** What most public chains ask at least; used when the node does not advise. */
const DEFAULT_TIP = 1_000_000_000n;

const gasLimitExceeded = refusal(
  'gas_limit_exceeded',
  422,
  (gas: number) => `The transaction needs about ${gas} gas; a transaction may use ${GAS_CAP}. Split it into smaller ones.`,
  (gas: number) => ({ gasEstimate: gas, gasLimit: GAS_CAP }),
);

const NO_SENDER = 'No sender is known: the gas estimate comes from a table and whether the call would run was not checked.';

type Fees = Pick<TransactionHints, 'maxFeePerGas' | 'maxPriorityFeePerGas'>;

/** Fee advice of this age still lets a transaction in: it has room for the base fee to double, which takes six blocks. */
const FEES_LIVE_MS = 1_000;

/** Estimates and nonces in a few exchanges with the node however many calls there are, fee advice once a second: it serves every caller alike. */
export class RpcTransactionPreparer extends TransactionPreparer {
  private feesAskedAt = 0;
  private feesAsked: Promise<Fees> = Promise.resolve({ maxFeePerGas: null, maxPriorityFeePerGas: null });

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
    const calls = requests.map((request): Call => ({ ...request, data: attempt(() => encodeCall(request.method, request.args)) }));
    const asked = calls.filter(isAsked);
    const [{ gas, nonces }, fees] = asked.length === 0 ? [NOTHING, NO_FEES] : await Promise.all([this.ask(asked), this.fees()]);
    return countedUp(
      calls.map((call) => {
        const { from, contract, method, args, data } = call;
        if (data instanceof DomainError) return data;
        if (from === null) return attempt(() => this.prepared(contract, data, gasFromTable(method, args), NO_HINTS, [NO_SENDER]));
        const [estimate, nonce] = [gas.get(call)!, nonces.get(from)!];
        if (!estimate.ok) return refusalOf(estimate.error);
        const hints = { from, nonce: nonce.ok ? Number(nonce.value) : null, ...fees };
        return attempt(() => this.prepared(contract, data, Number(estimate.value), hints, []));
      }),
    );
  }

  /**
   * An estimate runs a call a dozen times, to find the limit. Of calls that look alike one is estimated, and each of the others is run
   * once with that limit and a little more: what runs needs no more, what does not is estimated itself, for its limit or its refusal.
   */
  private async ask(calls: readonly Asked[]): Promise<Answers> {
    const groups = [...alike(calls).values()];
    const firsts = groups.map(([first]) => first!);
    const senders = [...new Set(calls.map(({ from }) => from))];
    const answers = await this.rpc.batch([...firsts.map(estimate), ...senders.map(nonceOf)]);
    const gas = new Map<Call, RpcResult>(zip(firsts, answers));
    const tried = groups.flatMap(([first, ...rest]) => {
      const limit = gas.get(first!)!;
      return limit.ok ? rest.map((call) => ({ call, limit: withMargin(limit.value) })) : [];
    });
    const runs = tried.length === 0 ? [] : await this.rpc.batch(tried.map(({ call, limit }) => run(call, limit)));
    for (const [i, { call, limit }] of tried.entries()) if (runs[i]!.ok) gas.set(call, { ok: true, value: limit });
    const left = calls.filter((call) => !gas.has(call));
    if (left.length > 0) for (const [call, answer] of zip(left, await this.rpc.batch(left.map(estimate)))) gas.set(call, answer);
    return { gas, nonces: new Map(zip(senders, answers.slice(firsts.length))) };
  }

  /** @param again what another caller asked for, perhaps of a node that was away then, is no failure of this one */
  private fees(again = true): Promise<Fees> {
    if (Date.now() - this.feesAskedAt < FEES_LIVE_MS) return again ? this.feesAsked.catch(() => this.fees(false)) : this.feesAsked;
    this.feesAskedAt = Date.now();
    this.feesAsked = this.rpc.batch(FEE_QUESTIONS).then(([latest, tip]) => feesFrom(latest!, tip!));
    this.feesAsked.catch(() => {
      this.feesAskedAt = 0;
    });
    return this.feesAsked;
  }

  private prepared(to: string, data: string, gas: number, hints: TransactionHints, warnings: readonly string[]): PreparedCall {
    if (gas > GAS_CAP) throw gasLimitExceeded(gas);
    return { preparedTx: { to, data, gasEstimate: gas, chainId: this.chainId }, hints, warnings };
  }
}

const NO_FEES: Fees = { maxFeePerGas: null, maxPriorityFeePerGas: null };
const NO_HINTS: TransactionHints = { from: null, nonce: null, ...NO_FEES };

/** A refusal of one call is its answer. */
function attempt<T>(work: () => T): T | DomainError {
  try {
    return work();
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}

/** A call with its calldata, or why it has none. */
type Call = PrepareRequest & { readonly data: string | DomainError };
/** One that the chain is asked about. */
type Asked = PrepareRequest & { readonly from: string; readonly data: string };

interface Answers {
  readonly gas: ReadonlyMap<Call, RpcResult>;
  readonly nonces: ReadonlyMap<string, RpcResult>;
}
const NOTHING: Answers = { gas: new Map(), nonces: new Map() };

const isAsked = (call: Call): call is Asked => call.from !== null && !(call.data instanceof DomainError);
const zip = <K, V>(keys: readonly K[], values: readonly V[]): [K, V][] => keys.map((key, i) => [key, values[i]!]);

/** By sender, contract, method and length. */
function alike(calls: readonly Asked[]): ReadonlyMap<string, Asked[]> {
  const groups = new Map<string, Asked[]>();
  for (const call of calls) {
    const key = `${call.from} ${call.contract} ${call.data.slice(0, 10)} ${call.data.length}`;
    const same = groups.get(key);
    if (same) same.push(call);
    else groups.set(key, [call]);
  }
  return groups;
}

const nonceOf = (from: string): RpcCall => ({ method: 'eth_getTransactionCount', params: [from, 'pending'] });
const estimate = ({ from, contract, data }: Asked): RpcCall => ({
  method: 'eth_estimateGas',
  params: [{ from, to: contract, data }, 'latest'],
});
const run = ({ from, contract, data }: Asked, gas: string): RpcCall => ({
  method: 'eth_call',
  params: [{ from, to: contract, data, gas }, 'latest'],
});

/** Bytes of calldata that are not zero cost more, and hashes differ in how many they have: one in a hundred is more than that. */
function withMargin(gas: unknown): string {
  const [estimated, cap] = [BigInt(gas as string), BigInt(GAS_CAP)];
  const more = (estimated * 101n) / 100n;
  return `0x${(estimated < cap && more > cap ? cap : more).toString(16)}`;
}

const FEE_QUESTIONS: readonly RpcCall[] = [
  { method: 'eth_getBlockByNumber', params: ['latest', false] },
  { method: 'eth_maxPriorityFeePerGas', params: [] },
];

/** Room for the base fee to double before the transaction lands; null where the chain has no EIP-1559 fees. */
function feesFrom(latest: RpcResult, tip: RpcResult): Fees {
  const baseFee = latest.ok ? (latest.value as { readonly baseFeePerGas?: string } | null)?.baseFeePerGas : undefined;
  if (baseFee === undefined) return { maxFeePerGas: null, maxPriorityFeePerGas: null };
  const priority = tip.ok ? BigInt(tip.value as string) : DEFAULT_TIP;
  return { maxFeePerGas: (2n * BigInt(baseFee) + priority).toString(), maxPriorityFeePerGas: priority.toString() };
}
