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
}
