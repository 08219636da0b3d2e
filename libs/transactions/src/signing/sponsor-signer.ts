/** Of secp256k1, with a low `s` (EIP-2). */
export interface TransactionSignature {
  readonly r: string;
  readonly s: string;
  /** Parity of the point's y. */
  readonly yParity: 0 | 1;
}

/**
 * The key of the sponsor: it pays for calls that others have signed. It has no right in any contract, and no other code of the service has
 * a key of an account.
 */
export abstract class SponsorSigner {
  /** EIP-55. @throws Error with a sentence for the operator, when the key cannot be used */
  abstract address(): Promise<string>;
  /** @param digest 32 bytes, 0x and 64 hex digits */
  abstract sign(digest: string): Promise<TransactionSignature>;
}

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** Of the two signatures that there are, the one that chains take. */
export const lowS = (s: bigint): bigint => (s > ORDER / 2n ? ORDER - s : s);
