import { describe, expect, it } from '@jest/globals';
import { tenantLotsAbi } from '#contracts';
import { AbiCoder, Interface } from 'ethers';
import { RpcRefused } from '../rpc/index.js';
import { refusalOf } from './reverts.js';

const contract = new Interface(tenantLotsAbi);
const ADDRESS = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const sample = (type: string): unknown => (type === 'address' ? ADDRESS : type === 'bytes32' ? `0x${'ab'.repeat(32)}` : 2n ** 60n);
const refused = (data: string | null): RpcRefused => new RpcRefused(3, 'execution reverted', data);

describe('a reverting call', () => {
  const errors = contract.fragments.filter((fragment) => fragment.type === 'error') as unknown as readonly {
    readonly name: string;
    readonly inputs: readonly { readonly name: string; readonly type: string }[];
  }[];

  it('knows all of the contract’s errors', () => expect(errors.length).toBeGreaterThan(25));

  it.each(errors.map((error) => [error.name, error] as const))('with %s is told in plain words, with its arguments', (name, { inputs }) => {
    const values = inputs.map(({ type }) => sample(type));
    const refusal = refusalOf(refused(contract.encodeErrorResult(name, values)));
    expect(refusal.message).not.toMatch(/undefined|\[object/);
    expect(refusal.message).not.toContain(name);
    expect([409, 422]).toContain(refusal.status);
    expect(refusal.details).toMatchObject({ revert: { name } });
    const { args } = refusal.details.revert as { args: Record<string, unknown> };
    expect(Object.values(args).map((value) => String(value).toLowerCase())).toEqual(values.map((value) => String(value).toLowerCase()));
    expect(() => JSON.stringify(refusal.details)).not.toThrow();
  });

  it.each([
    [
      'a plain sentence',
      `0x08c379a0${AbiCoder.defaultAbiCoder().encode(['string'], ['no luck']).slice(2)}`,
      'The call would revert: no luck.',
    ],
    ['an error of somebody else', '0xdeadbeef', 'The transaction would not run: execution reverted.'],
    ['nothing', null, 'The transaction would not run: execution reverted.'],
  ])('with %s says what is known', (_, data, sentence) => {
    expect(refusalOf(refused(data))).toMatchObject({ code: 'tx_would_revert', status: 422, message: sentence });
  });
});
