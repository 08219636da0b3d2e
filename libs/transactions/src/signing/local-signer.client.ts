import { SigningKey, computeAddress } from 'ethers';
import { SponsorSigner, type TransactionSignature } from './sponsor-signer.js';

/** A key in the memory of this process. */
export class LocalSigner extends SponsorSigner {
  private readonly key: SigningKey;

  /** @param privateKey 0x and 64 hex digits */
  constructor(privateKey: string) {
    super();
    this.key = new SigningKey(privateKey);
  }

  override address(): Promise<string> {
    return Promise.resolve(computeAddress(this.key.publicKey));
  }

  override sign(digest: string): Promise<TransactionSignature> {
    const { r, s, yParity } = this.key.sign(digest);
    return Promise.resolve({ r, s, yParity });
  }
}
