import { type PreparedCall, type PrepareRequest, TransactionPreparer, encodeCall, gasFromTable } from '#chain';

/** Prepares calldata without a node: commands have no chain connection. The signer's wallet estimates the gas itself. */
export class OfflinePreparer extends TransactionPreparer {
  constructor(private readonly chainId: number) {
    super();
  }

  override prepare({ contract, method, args }: PrepareRequest): Promise<PreparedCall> {
    return Promise.resolve({
      preparedTx: { to: contract, data: encodeCall(method, args), gasEstimate: gasFromTable(method, args), chainId: this.chainId },
      hints: { from: null, nonce: null, maxFeePerGas: null, maxPriorityFeePerGas: null },
      warnings: ['The gas estimate comes from a table, and the call was not simulated.'],
    });
  }
}
