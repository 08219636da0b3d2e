import { createRequire } from 'node:module';
import { Inject, Injectable, Optional } from '@nestjs/common';
import type * as Ethers from 'ethers';
import type * as Siwe from 'siwe';
import { Deployments, JsonRpc, type Rpc, isRefused } from '#chain';
import { Clock, EngineUnavailable } from '#kernel';
import { siweAddressNotEip55, siweMalformed } from '../errors.js';
import { IdentitySettings } from '../identity.settings.js';
import { MAX_SIWE_BYTES, type SiweFields, checkSiwe } from './siwe.js';
import { checkOfUndeployedAccount, isOfUndeployedAccount } from './undeployed-account.client.js';

/** EIP-1271: the selector of `isValidSignature(bytes32,bytes)`, which is also its answer for a valid signature. */
const MAGIC = '1626ba7e';
/** Anybody may name any contract. It gets ten times the gas that passkey wallets need, and no more time of the node. */
const MOST_GAS = '0x4c4b40';
const LONGEST_REASON = 200;

/** Loaded by the first sign-in with a wallet: the two are a tenth of all files that a start would load. */
const require = createRequire(import.meta.url);
const siwe = (): typeof Siwe => require('siwe') as typeof Siwe;
const ethers = (): typeof Ethers => require('ethers') as typeof Ethers;

/**
 * The siwe package parses the text; the checks are our own. Its `verify` accepts fields that it is not told to compare, checks neither
 * the time of issue nor the chain, compares a re-serialised text, logs invalid signatures to the console and takes an RPC fault for one.
 */
@Injectable()
export class SiweClient {
  constructor(
    @Inject(IdentitySettings) private readonly settings: Pick<IdentitySettings, 'siweDomains' | 'chainId'>,
    private readonly clock: Clock,
    /** Absent in commands, which have no sign-in. */
    @Optional() private readonly rpc?: JsonRpc,
    @Optional() private readonly deployments?: Deployments,
  ) {}

  /** @throws DomainError 400 `siwe_malformed`, `siwe_address_not_eip55` */
  read(text: string): SiweFields {
    if (Buffer.byteLength(text) > MAX_SIWE_BYTES) throw siweMalformed(`it has more than ${MAX_SIWE_BYTES} bytes`);
    try {
      return new (siwe().SiweMessage)(text);
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unreadable';
      throw /EIP-55/.test(reason) ? siweAddressNotEip55() : siweMalformed(reason.split('\n', 1)[0]!.slice(0, LONGEST_REASON));
    }
  }

  /** Reads a message and holds it to the policy of the service. @throws DomainError as `read` and `checkSiwe` */
  check(text: string): SiweFields {
    const fields = this.read(text);
    const { siweDomains: domains, chainId } = this.settings;
    checkSiwe(fields, { domains, chainId }, this.clock.now());
    return fields;
  }

  /**
   * By the key of an account, or else by the contract at the address (EIP-1271), which our factory may not have deployed yet (ERC-6492).
   * @throws DomainError 401 `siwe_foreign_factory`, EngineUnavailable('chain')
   */
  async isSigned(text: string, signature: string): Promise<boolean> {
    const { address } = new (siwe().SiweMessage)(text);
    if (isOfUndeployedAccount(signature)) return this.isApprovedByUndeployed(address, text, signature);
    return signerOf(text, signature) === address || this.isApprovedByContract(address, text, signature);
  }

  private async isApprovedByContract(address: string, text: string, signature: string): Promise<boolean> {
    if (!this.rpc) throw new EngineUnavailable('chain');
    // One endpoint answers both calls. An account without code must not be called: its empty answer is not a refusal.
    return this.rpc.pinned(async (rpc) => {
      if ((await rpc.call<string>('eth_getCode', [address, 'latest'])) === '0x') return false;
      return (await callOrNothing(rpc, address, isValidSignature(text, signature))).slice(2, 66) === MAGIC.padEnd(64, '0');
    });
  }

  /** The factory deploys the account and asks it, in one call that changes nothing. A deployed one is asked as it is now. */
  private async isApprovedByUndeployed(address: string, text: string, signature: string): Promise<boolean> {
    if (!this.rpc || !this.deployments) throw new EngineUnavailable('chain');
    const factory = await this.deployments.accountFactory();
    const data = checkOfUndeployedAccount({ address, hash: ethers().hashMessage(text), signature }, factory);
    return data !== null && /^0x0{63}1$/.test(await callOrNothing(this.rpc, factory!, data));
  }
}

/** @returns 0x for a call that is refused */
async function callOrNothing(rpc: Rpc, to: string, data: string): Promise<string> {
  try {
    return await rpc.call<string>('eth_call', [{ to, data, gas: MOST_GAS }, 'latest']);
  } catch (error) {
    if (isRefused(error)) return '0x';
    throw error;
  }
}

/** 65 bytes with a recovery bit (ethers would read any byte as one) that a key can have made; null for anything else. */
function signerOf(text: string, signature: string): string | null {
  if (signature.length !== 132 || !/(00|01|1b|1c)$/i.test(signature)) return null;
  try {
    return ethers().verifyMessage(text, signature);
  } catch {
    return null;
  }
}

/** Calldata of `isValidSignature(hash, signature)`: the hash, the offset of the bytes, their length, the bytes. */
function isValidSignature(text: string, signature: string): string {
  const bytes = signature.slice(2);
  const word = (value: number): string => value.toString(16).padStart(64, '0');
  const padded = bytes.padEnd(Math.ceil(bytes.length / 64) * 64, '0');
  return `0x${MAGIC}${ethers().hashMessage(text).slice(2)}${word(64)}${word(bytes.length / 2)}${padded}`;
}
