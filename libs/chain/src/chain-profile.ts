/** The facts of the chain that this service works on. */
export abstract class ChainProfile {
  abstract readonly chainId: number;
  /** Blocks on top of (and with) a transaction's own before it is final. */
  abstract readonly confirmations: number;
  /** TenantRegistry, EIP-55; null until one is deployed or configured. */
  abstract readonly registry: string | null;
  /** Where clients may send signed transactions; null when the operator does not say. */
  abstract readonly clientRpcUrl: string | null;
  /** With `{tx}` in the place of the hash. */
  abstract readonly explorerUrl: string | null;
}
