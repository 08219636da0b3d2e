import { createRequire } from 'node:module';
import type * as Ethers from 'ethers';
import { type AccountConfig, accountAddress } from '#chain';
import { passkeyAccountFactoryAbi } from '#contracts';
import { siweForeignFactory } from '../errors.js';

/** ERC-6492: how the signature of an account ends that may not be deployed yet. */
const MARK = '6492'.repeat(16);
/** The factory, its calldata that deploys the account, and the signature that the account would accept. */
const WRAPPER = ['address', 'bytes', 'bytes'];

const require = createRequire(import.meta.url);
const ethers = (): typeof Ethers => require('ethers') as typeof Ethers;

export const isOfUndeployedAccount = (signature: string): boolean => signature.toLowerCase().endsWith(MARK);

interface SignedBy {
  /** EIP-55: who the message says has signed it. */
  readonly address: string;
  /** Of the message. */
  readonly hash: string;
  readonly signature: string;
}

/**
 * The factory is the service's own, so nothing else is executed than what is known to do no harm. Bytes that say the same in another way are
 * refused: nothing is left to interpretation.
 * @param factory EIP-55; null where there is none
 * @returns calldata of `checkSignature` for the factory; null for bytes that are no such signature, or of another account
 * @throws DomainError 401 `siwe_foreign_factory`
 */
export function checkOfUndeployedAccount({ address, hash, signature }: SignedBy, factory: string | null): string | null {
  const { AbiCoder, Interface } = ethers();
  const coder = AbiCoder.defaultAbiCoder();
  const codec = new Interface(passkeyAccountFactoryAbi);
  const body = signature.slice(0, -MARK.length).toLowerCase();
  const [maker, deploying, inner] =
    exactly(
      body,
      () => coder.decode(WRAPPER, body),
      (values) => coder.encode(WRAPPER, values),
    ) ?? [];
  if (maker === undefined) return null;
  if (factory === null || maker !== factory) throw siweForeignFactory(maker as string);
  const call = deploying as string;
  const [config] =
    exactly(
      call,
      () => codec.decodeFunctionData('deploy', call),
      (values) => codec.encodeFunctionData('deploy', values),
    ) ?? [];
  if (config === undefined || accountAddress(factory, configOf(config as Ethers.Result)) !== address) return null;
  return codec.encodeFunctionData('checkSignature', [config, hash, inner]);
}

/** Null for bytes that cannot be read, or that would be written in another way. */
function exactly(bytes: string, read: () => Ethers.Result, write: (values: Ethers.Result) => string): Ethers.Result | null {
  try {
    const values = read();
    return write(values) === bytes ? values : null;
  } catch {
    return null;
  }
}

const configOf = ([salt, guarded, keys]: Ethers.Result): AccountConfig => ({
  salt: salt as string,
  guarded: guarded as boolean,
  keys: [...(keys as Ethers.Result)].map(([x, y, rpIdHash]: string[]) => ({ x: x!, y: y!, rpIdHash: rpIdHash! })),
});
