import { describe, expect, it } from '@jest/globals';
import { AbiCoder, Interface, TypedDataEncoder, getCreate2Address, getCreateAddress, keccak256 } from 'ethers';
import { passkeyAccountFactoryAbi } from '#contracts';
import { accountAddress, batchDigest, deployAccount, implementationOf, keyIdOf } from './passkey-account.js';

const word = (digit: string): string => `0x${digit.repeat(64)}`;
const factory = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
const key = { x: word('1'), y: word('a'), rpIdHash: word('c') };
const config = { salt: word('5'), guarded: false, keys: [key, { ...key, x: word('2') }] };
const codec = new Interface(passkeyAccountFactoryAbi);
const type = codec.getFunction('deploy')!.inputs[0]!;

describe('a passkey account', () => {
  it('is where its factory deploys it, as ethers says', () => {
    const implementation = getCreateAddress({ from: factory, nonce: 1 });
    expect(implementationOf(factory)).toBe(implementation);
    const creation = `0x3d602d80600a3d3981f3363d3d373d3d3d363d73${implementation.slice(2).toLowerCase()}5af43d82803e903d91602b57fd5bf3`;
    const salt = keccak256(AbiCoder.defaultAbiCoder().encode([type], [config]));
    expect(accountAddress(factory, config)).toBe(getCreate2Address(factory, salt, keccak256(creation)));
    expect(deployAccount(config)).toBe(codec.encodeFunctionData('deploy', [config]));
  });

  it('is signed for with the digest of EIP-712, which every part of a batch changes', () => {
    const calls = [
      { to: factory, data: '0x1234' },
      { to: factory, data: '0x' },
    ];
    const batch = { key, lane: 3, sequence: 7, deadline: 1_900_000_000, calls };
    const domain = { name: 'PasskeyAccount', version: '1', chainId: 31_337, verifyingContract: factory };
    const fields = (text: string) => text.split(',').map((field) => ({ type: field.split(' ')[0]!, name: field.split(' ')[1]! }));
    const types = {
      Execute: fields('bytes32 keyId,uint256 lane,uint256 sequence,uint256 deadline,Call[] calls'),
      Call: fields('address to,bytes data'),
    };
    const { key: _, ...message } = batch;
    const digest = batchDigest(factory, 31_337, batch);
    expect(digest).toBe(TypedDataEncoder.hash(domain, types, { keyId: keyIdOf(key), ...message }));
    const others = [
      batchDigest(factory, 1, batch),
      batchDigest(implementationOf(factory), 31_337, batch),
      batchDigest(factory, 31_337, { ...batch, key: { ...key, y: word('b') } }),
      batchDigest(factory, 31_337, { ...batch, sequence: 8 }),
      batchDigest(factory, 31_337, { ...batch, calls: calls.toReversed() }),
    ];
    expect(new Set([digest, ...others]).size).toBe(6);
  });
});
