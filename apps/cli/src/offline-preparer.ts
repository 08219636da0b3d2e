import { type PreparedCall, type PrepareRequest, TransactionPreparer, encodeCall, gasFromTable } from '#chain';

/** Calldata without a node: commands work beside a running service and ask no chain. Whoever signs estimates for themselves. */
export class OfflinePreparer extends TransactionPreparer {
  constructor(private readonly chainId: number) {
    super();
  }

  override prepare({ contract, method, args }: PrepareRequest): Promise<PreparedCall> {
    return Promise.resolve({
      preparedTx: { to: contract, data: encodeCall(method, args), gasEstimate: gasFromTable(method, args), chainId: this.chainId },
      hints: { from: null, nonce: null, maxFeePerGas: null, maxPriorityFeePerGas: null },
      warnings: ['The gas estimate comes from a table; whether the call would run was not checked.'],
    });
  }
}
