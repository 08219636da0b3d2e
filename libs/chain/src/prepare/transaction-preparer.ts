import { DomainError, EngineUnavailable } from '#kernel';

/** The unsigned transaction of the docs/spec/service.md#prepared-transaction. */
export interface PreparedTx {
  readonly to: string;
  readonly data: string;
  readonly gasEstimate: number;
  readonly chainId: number;
}

/** Advice that accompanies `preparedTx` (docs/spec/api.md#conventions); wei amounts are decimal strings. */
export interface TransactionHints {
  readonly from: string | null;
  readonly nonce: number | null;
  readonly maxFeePerGas: string | null;
  readonly maxPriorityFeePerGas: string | null;
  /** Of a call of a passkey account: what `POST /tx/relay` takes. */
  readonly preparedId?: string;
}

export interface PrepareRequest {
  /** The tenant's contract, EIP-55. */
  readonly contract: string;
  /** EIP-55. Null: the estimate comes from the gas table, with a warning. */
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

/** Encodes a call of the tenant's contract and estimates it on the chain: whether it would succeed, and its gas. */
export abstract class TransactionPreparer {
  /**
   * @throws DomainError 422 `tx_would_revert` with `revert {name, args}` for the contract's custom error (some map to 409,
   * e.g. TlcTaken → `tlc_taken`), 422 `gas_limit_exceeded` above 16,777,216 gas (EIP-7825), EngineUnavailable('chain')
   */
  abstract prepare(request: PrepareRequest): Promise<PreparedCall>;

  /**
   * Many calls, each estimated on the current state of the chain. A refused call has its error as its result. Nonces of one sender are
   * consecutive over its calls that would succeed, in their order. An adapter may use one request for all.
   * @throws EngineUnavailable('chain')
   */
  async prepareAll(requests: readonly PrepareRequest[]): Promise<readonly (PreparedCall | DomainError)[]> {
    const answers: (PreparedCall | DomainError)[] = [];
    for (const request of requests) answers.push(await this.prepare(request).catch(asResult));
    return withConsecutiveNonces(answers);
  }
}

function asResult(error: unknown): DomainError {
  if (error instanceof DomainError && !(error instanceof EngineUnavailable)) return error;
  throw error;
}

/** The sender's next nonce goes to the first of its calls, the following one to the second, and so on. */
export function withConsecutiveNonces(answers: readonly (PreparedCall | DomainError)[]): readonly (PreparedCall | DomainError)[] {
  const used = new Map<string | null, number>();
  return answers.map((answer) => {
    if (answer instanceof DomainError || answer.hints.nonce === null) return answer;
    const before = used.get(answer.hints.from) ?? 0;
    used.set(answer.hints.from, before + 1);
    return { ...answer, hints: { ...answer.hints, nonce: answer.hints.nonce + before } };
  });
}
