import { passkeyAccountAbi, passkeyAccountFactoryAbi } from '#contracts';
import { type Hex, keccakOfHex } from '#kernel';
import { addressOf, tupleOf } from '../codec/abi-type.js';
import { ContractCodec } from '../codec/contract-codec.js';
import { hexBytes, rlp } from '../rpc/rlp.js';

/** A key of a PasskeyAccount: a point of P-256, and the SHA-256 of the domain of its passkey. 0x and 64 hex digits each. */
export interface AccountKey {
  readonly x: string;
  readonly y: string;
  readonly rpIdHash: string;
}

/** What an account is made from; its address follows from all of it. */
export interface AccountConfig {
  readonly salt: string;
  readonly guarded: boolean;
  readonly keys: readonly AccountKey[];
}

export interface AccountCall {
  /** EIP-55. */
  readonly to: string;
  readonly data: string;
}

/** A place in the order of a key's batches. */
export interface BatchPlace {
  readonly lane: number;
  readonly sequence: number;
  /** Seconds since 1970. */
  readonly deadline: number;
}

/** What a key signs a batch with. */
export interface AccountBatch extends BatchPlace {
  readonly key: AccountKey;
  readonly calls: readonly AccountCall[];
}

export const passkeyAccount = new ContractCodec(passkeyAccountAbi);
export const passkeyAccountFactory = new ContractCodec(passkeyAccountFactoryAbi);

const configAbi = passkeyAccountFactoryAbi.find((entry) => entry.type === 'function' && entry.name === 'deploy')!.inputs;
const config = tupleOf(configAbi);
const address = (digits: string): string => addressOf(digits.slice(-40));
const word = (value: bigint | number): string => BigInt(value).toString(16).padStart(64, '0');
const plain = (hex: string): string => hex.slice(2).toLowerCase();

/** What its clones run: the first contract that a factory makes. @param factory EIP-55 */
export const implementationOf = (factory: string): string => {
  const encoded = rlp([hexBytes(factory), Uint8Array.of(1)]);
  return address(keccakOfHex(`0x${Buffer.from(encoded).toString('hex')}`));
};

/** The code of an account: what an EIP-1167 clone of the implementation is. */
export const accountCode = (factory: string): Hex =>
  `0x363d3d373d3d3d363d73${plain(implementationOf(factory))}5af43d82803e903d91602b57fd5bf3`;

/** Where the factory deploys an account (CREATE2). EIP-55. */
export function accountAddress(factory: string, of: AccountConfig): string {
  const creation = keccakOfHex(`0x3d602d80600a3d3981f3${accountCode(factory).slice(2)}`);
  const salt = keccakOfHex(`0x${config.encode([of], '')}`);
  return address(keccakOfHex(`0xff${plain(factory)}${salt.slice(2)}${creation.slice(2)}`));
}

/** Calldata for the factory; deploying twice changes nothing. */
export const deployAccount = (of: AccountConfig): string => passkeyAccountFactory.encodeCall('deploy', [of])!;

export const keyIdOf = ({ x, y, rpIdHash }: AccountKey): Hex => keccakOfHex(`0x${plain(x)}${plain(y)}${plain(rpIdHash)}`);

const typeHash = (type: string): string => keccakOfHex(`0x${Buffer.from(type).toString('hex')}`).slice(2);
const CALL = 'Call(address to,bytes data)';
const EXECUTE = `Execute(bytes32 keyId,uint256 lane,uint256 sequence,uint256 deadline,Call[] calls)${CALL}`;
const DOMAIN = 'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)';

/** What a key signs for a batch (EIP-712), in the challenge of its passkey: 32 bytes. */
export function batchDigest(account: string, chainId: number, { key, lane, sequence, deadline, calls }: AccountBatch): Hex {
  const ofCall = ({ to, data }: AccountCall): string =>
    keccakOfHex(`0x${typeHash(CALL)}${plain(to).padStart(64, '0')}${keccakOfHex(data as Hex).slice(2)}`).slice(2);
  const ofCalls = keccakOfHex(`0x${calls.map(ofCall).join('')}`);
  const place = `${word(lane)}${word(sequence)}${word(deadline)}`;
  const message = keccakOfHex(`0x${typeHash(EXECUTE)}${keyIdOf(key).slice(2)}${place}${ofCalls.slice(2)}`);
  const names = `${typeHash('PasskeyAccount')}${typeHash('1')}`;
  const domain = keccakOfHex(`0x${typeHash(DOMAIN)}${names}${word(chainId)}${plain(account).padStart(64, '0')}`);
  return keccakOfHex(`0x1901${domain.slice(2)}${message.slice(2)}`);
}
