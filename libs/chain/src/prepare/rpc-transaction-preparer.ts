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

/** Estimate and nonce in one exchange with the node, fee advice once a second: it serves every caller alike. */
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
    const calls = requests.map((request) => ({ ...request, data: attempt(() => encodeCall(request.method, request.args)) }));
    const asked = calls.flatMap(({ from, contract, data }) =>
      from === null || data instanceof DomainError ? [] : questions(from, contract, data),
    );
    const [answers, fees] = asked.length === 0 ? [[], NO_FEES] : await Promise.all([this.rpc.batch(asked), this.fees()]);
    let next = 0;
    return countedUp(
      calls.map(({ from, contract, method, args, data }) => {
        if (data instanceof DomainError) return data;
        if (from === null) return attempt(() => this.prepared(contract, data, gasFromTable(method, args), NO_HINTS, [NO_SENDER]));
        const [estimate, nonce] = [answers[next++]!, answers[next++]!];
        if (!estimate.ok) return refusalOf(estimate.error);
        const hints = { from, nonce: nonce.ok ? Number(nonce.value) : null, ...fees };
        return attempt(() => this.prepared(contract, data, Number(estimate.value), hints, []));
      }),
    );
  }

  private fees(): Promise<Fees> {
    if (Date.now() - this.feesAskedAt >= FEES_LIVE_MS) {
      this.feesAskedAt = Date.now();
      this.feesAsked = this.rpc.batch(FEE_QUESTIONS).then(([latest, tip]) => feesFrom(latest!, tip!));
      this.feesAsked.catch(() => {
        this.feesAskedAt = 0;
      });
    }
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

const questions = (from: string, to: string, data: string): readonly RpcCall[] => [
  { method: 'eth_estimateGas', params: [{ from, to, data }, 'latest'] },
  { method: 'eth_getTransactionCount', params: [from, 'pending'] },
];

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
