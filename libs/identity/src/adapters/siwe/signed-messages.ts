import { Injectable, Optional } from '@nestjs/common';
import { hashMessage, verifyMessage } from 'ethers';
import { SiweMessage } from 'siwe';
import { JsonRpc, isRefused } from '#chain';
import { EngineUnavailable } from '#kernel';
import { siweAddressNotEip55, siweMalformed } from '../../domain/errors.js';
import { MAX_SIWE_BYTES, type SiweClaims } from '../../domain/siwe.js';
import { SiweMessages } from '../../ports.js';

/** EIP-1271: the selector of `isValidSignature(bytes32,bytes)`, which is also its answer for a good one. */
const MAGIC = '1626ba7e';
/** Anybody may name any contract: it gets what passkey wallets need ten times over, and no more of the node's time. */
const MOST_GAS = '0x4c4b40';
const LONGEST_REASON = 200;

/**
 * The siwe package reads the text; the rest is ours. Its `verify` accepts what it is not told to compare, checks neither
 * time of issue nor chain, compares a re-serialised text, logs bad signatures to the console and takes an RPC fault for one.
 */
@Injectable()
export class SignedMessages extends SiweMessages {
  constructor(
    /** Absent in commands, which sign nobody in. */
    @Optional() private readonly rpc?: JsonRpc,
  ) {
    super();
  }

  override read(text: string): SiweClaims {
    if (Buffer.byteLength(text) > MAX_SIWE_BYTES) throw siweMalformed(`it has more than ${MAX_SIWE_BYTES} bytes`);
    try {
      return new SiweMessage(text);
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unreadable';
      throw /EIP-55/.test(reason) ? siweAddressNotEip55() : siweMalformed(reason.split('\n', 1)[0]!.slice(0, LONGEST_REASON));
    }
  }

  override async isSigned(text: string, signature: string): Promise<boolean> {
    const { address } = new SiweMessage(text);
    return signerOf(text, signature) === address || this.isApprovedByContract(address, text, signature);
  }

  private async isApprovedByContract(address: string, text: string, signature: string): Promise<boolean> {
    if (!this.rpc) throw new EngineUnavailable('chain');
    // One endpoint answers both: an account without code must not be asked, as its empty answer is none.
    return this.rpc.pinned(async (rpc) => {
      if ((await rpc.call<string>('eth_getCode', [address, 'latest'])) === '0x') return false;
      try {
        const answer = await rpc.call<string>('eth_call', [
          { to: address, data: isValidSignature(text, signature), gas: MOST_GAS },
          'latest',
        ]);
        return answer.length >= 66 && answer.slice(2, 66) === MAGIC.padEnd(64, '0');
      } catch (error) {
        if (isRefused(error)) return false;
        throw error;
      }
    });
  }
}

/** 65 bytes with a recovery bit (ethers would read any byte as one) that a key can have made; null for anything else. */
function signerOf(text: string, signature: string): string | null {
  if (signature.length !== 132 || !/(00|01|1b|1c)$/i.test(signature)) return null;
  try {
    return verifyMessage(text, signature);
  } catch {
    return null;
  }
}

/** Calldata of `isValidSignature(hash, signature)`: the hash, the offset of the bytes, their length, the bytes. */
function isValidSignature(text: string, signature: string): string {
  const bytes = signature.slice(2);
  const word = (value: number): string => value.toString(16).padStart(64, '0');
  const padded = bytes.padEnd(Math.ceil(bytes.length / 64) * 64, '0');
  return `0x${MAGIC}${hashMessage(text).slice(2)}${word(64)}${word(bytes.length / 2)}${padded}`;
}
