import type { JsonRpcProvider, TransactionReceipt } from 'ethers';
import { eventually } from './eventually.js';

/**
 * The receipt, once the transaction is mined. `waitForTransaction` of ethers waits for one block more when the transaction is mined
 * between its own first two calls, and a node that mines on demand never makes that block.
 */
export const minedReceipt = (provider: JsonRpcProvider, hash: string): Promise<TransactionReceipt> =>
  eventually(`the receipt of ${hash}`, () => provider.getTransactionReceipt(hash));
