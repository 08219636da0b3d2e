import { Injectable } from '@nestjs/common';
import { siweInvalidSignature, siweUnknownNonce } from '../errors.js';
import { SiweClient } from './siwe.client.js';
import { MAX_SIGNATURE_BYTES } from './siwe.js';
import { SiweNoncesQueries } from './siwe-nonces.queries.js';

export interface SignedMessage {
  /** The text of EIP-4361, as it was signed. */
  readonly message: string;
  /** 0x and hex digits. */
  readonly signature: string;
}

/** That the owner of a wallet signed a message for this service, just now and for this one use. */
@Injectable()
export class CheckSignature {
  constructor(
    private readonly messages: SiweClient,
    private readonly nonces: SiweNoncesQueries,
  ) {}

  nonce(): Promise<string> {
    return this.nonces.issue();
  }

  /**
   * In the order of docs/spec/reliability.md#identity-and-access.
   * @returns the wallet, EIP-55
   * @throws DomainError 400 for a malformed message, 401 `siwe_…`; EngineUnavailable('chain') when only the chain can verify the signature
   */
  async check({ message, signature }: SignedMessage): Promise<string> {
    const { address, nonce } = this.messages.check(message);
    if (!isHex(signature) || !(await this.messages.isSigned(message, signature))) throw siweInvalidSignature();
    if (!(await this.nonces.consume(nonce))) throw siweUnknownNonce();
    return address;
  }
}

const isHex = (signature: string): boolean => signature.length <= 2 + 2 * MAX_SIGNATURE_BYTES && /^0x([0-9a-fA-F]{2})+$/.test(signature);
