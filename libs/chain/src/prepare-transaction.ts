import { DomainError, EngineUnavailable } from '#kernel';

/** The unsigned transaction of the specification, §2.6. */
export interface PreparedTx {
  readonly to: string;
  readonly data: string;
  readonly gasEstimate: number;
  readonly chainId: number;
}

/** Advice beside `preparedTx` (api-decisions §1); wei amounts are decimal strings. */
export interface TransactionHints {
  readonly from: string | null;
  readonly nonce: number | null;
  readonly maxFeePerGas: string | null;
  readonly maxPriorityFeePerGas: string | null;
}

export interface PrepareRequest {
  /** The tenant's contract, EIP-55. */
  readonly contract: string;
  /** EIP-55, or null: then the estimate is the gas table's and a warning says so. */
  readonly from: string | null;
  readonly method: string;
  /** In the order of the ABI; integers as bigint, bytes32 as hex, structs as arrays or objects by field name. */
  readonly args: readonly unknown[];
}

export interface PreparedCall {
  readonly preparedTx: PreparedTx;
  readonly hints: TransactionHints;
  readonly warnings: readonly string[];
}

/** Encodes a call of the tenant's contract and asks the chain whether and at what cost it would run. */
export abstract class TransactionPreparer {
  /**
   * @throws DomainError 422 `tx_would_revert` with `revert {name, args}` for the contract's custom error (some map to 409,
   * e.g. TlcTaken → `tlc_taken`), 422 `gas_limit_exceeded` above 16,777,216 gas (EIP-7825), EngineUnavailable('chain')
   */
  abstract prepare(request: PrepareRequest): Promise<PreparedCall>;

  /**
   * Many calls, each asked about as the chain stands: the refusal of one is its answer, in its place. Nonces of one sender count
   * up over its calls that would run, in their order. One exchange with the chain where the adapter can.
   * @throws EngineUnavailable('chain')
   */
  async prepareAll(requests: readonly PrepareRequest[]): Promise<readonly (PreparedCall | DomainError)[]> {
    const answers: (PreparedCall | DomainError)[] = [];
    for (const request of requests) answers.push(await this.prepare(request).catch(asAnswer));
    return countedUp(answers);
  }
}

function asAnswer(error: unknown): DomainError {
  if (error instanceof DomainError && !(error instanceof EngineUnavailable)) return error;
  throw error;
}

/** The sender's next nonce goes to the first of its calls, the one after it to the second. */
export function countedUp(answers: readonly (PreparedCall | DomainError)[]): readonly (PreparedCall | DomainError)[] {
  const used = new Map<string | null, number>();
  return answers.map((answer) => {
    if (answer instanceof DomainError || answer.hints.nonce === null) return answer;
    const before = used.get(answer.hints.from) ?? 0;
    used.set(answer.hints.from, before + 1);
    return { ...answer, hints: { ...answer.hints, nonce: answer.hints.nonce + before } };
  });
}
