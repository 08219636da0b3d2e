import { Transaction } from 'ethers';
import { type Hex, keccakOfHex } from '#kernel';
import type { SponsorSigner } from './sponsor-signer.js';

/** What the sponsor sends: no value, ever. Fees in wei. */
export interface SponsorCall {
  readonly chainId: number;
  readonly nonce: number;
  /** EIP-55. */
  readonly to: string;
  readonly data: string;
  readonly gasLimit: bigint;
  readonly maxFee: bigint;
  readonly tip: bigint;
}

export interface SignedTransaction {
  /** As a node takes it. */
  readonly raw: string;
  /** In lower case. */
  readonly hash: string;
}

/** EIP-1559. */
export async function signed(signer: SponsorSigner, { maxFee, tip, ...call }: SponsorCall): Promise<SignedTransaction> {
  const transaction = Transaction.from({ ...call, type: 2, value: 0n, maxFeePerGas: maxFee, maxPriorityFeePerGas: tip });
  // The library would serialise it again for each of its hashes.
  transaction.signature = await signer.sign(keccakOfHex(transaction.unsignedSerialized as Hex));
  const raw = transaction.serialized;
  return { raw, hash: keccakOfHex(raw as Hex) };
}
