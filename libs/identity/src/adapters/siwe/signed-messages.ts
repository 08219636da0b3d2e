import { Injectable, Optional } from '@nestjs/common';
import { Signature, hashMessage } from 'ethers';
import { SiweMessage } from 'siwe';
import { JsonRpc, isRefused } from '#chain';
import { EngineUnavailable } from '#kernel';
import { siweAddressNotEip55, siweMalformed } from '../../domain/errors.js';
import { MAX_SIWE_BYTES, type SiweClaims } from '../../domain/siwe.js';
import { SiweMessages } from '../../ports.js';

/** EIP-1271: the selector of `isValidSignature(bytes32,bytes)`, which is also its answer for a good one. */
const MAGIC = '1626ba7e';
const LONGEST_REASON = 200;

/**
 * The siwe package behind our own terms: it accepts what it is not told to compare, checks neither times of issue nor
 * chain, logs a bad signature to the console, and lets an RPC fault look like a bad one.
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

  override async isSigned(text: string, signature: string, at: Date): Promise<boolean> {
    const message = new SiweMessage(text);
    // Another text than the one that was read must not be what the signature is compared with.
    if (message.prepareMessage() !== text) return false;
    if (isAccountSignature(signature)) {
      const { domain, nonce, address } = message;
      const { success } = await message.verify({ signature, domain, nonce, time: at.toISOString() }, { suppressExceptions: true });
      if (success) return true;
      return this.isApprovedByContract(address, text, signature);
    }
    return this.isApprovedByContract(message.address, text, signature);
  }

  private async isApprovedByContract(address: string, text: string, signature: string): Promise<boolean> {
    if (!this.rpc) throw new EngineUnavailable('chain');
    // One endpoint answers both: an account without code must not be asked, as its empty answer is none.
    return this.rpc.pinned(async (rpc) => {
      if ((await rpc.call<string>('eth_getCode', [address, 'latest'])) === '0x') return false;
      try {
        const answer = await rpc.call<string>('eth_call', [{ to: address, data: isValidSignature(text, signature) }, 'latest']);
        return answer.length >= 66 && answer.slice(2, 66) === MAGIC.padEnd(64, '0');
      } catch (error) {
        if (isRefused(error)) return false;
        throw error;
      }
    });
  }
}

/** 65 bytes with a canonical s and a recovery bit (ethers would read any byte as one): else there is no account behind it. */
function isAccountSignature(signature: string): boolean {
  if (signature.length !== 132 || !/(00|01|1b|1c)$/i.test(signature)) return false;
  try {
    Signature.from(signature);
    return true;
  } catch {
    return false;
  }
}

/** Calldata of `isValidSignature(hash, signature)`: the hash, the offset of the bytes, their length, the bytes. */
function isValidSignature(text: string, signature: string): string {
  const bytes = signature.slice(2);
  const word = (value: number): string => value.toString(16).padStart(64, '0');
  const padded = bytes.padEnd(Math.ceil(bytes.length / 64) * 64, '0');
  return `0x${MAGIC}${hashMessage(text).slice(2)}${word(64)}${word(bytes.length / 2)}${padded}`;
}
