import { SigningKey, computeAddress } from 'ethers';
import { SponsorSigner, type TransactionSignature } from './sponsor-signer.js';

/** A key in the memory of this process. */
export class LocalSigner extends SponsorSigner {
  private readonly key: SigningKey;
  private readonly sender: string;

  /** @param privateKey 0x and 64 hex digits */
  constructor(privateKey: string) {
    super();
    this.key = new SigningKey(privateKey);
    this.sender = computeAddress(this.key.publicKey);
  }

  override address(): Promise<string> {
    return Promise.resolve(this.sender);
  }

  override sign(digest: string): Promise<TransactionSignature> {
    const { r, s, yParity } = this.key.sign(digest);
    return Promise.resolve({ r, s, yParity });
  }
}
