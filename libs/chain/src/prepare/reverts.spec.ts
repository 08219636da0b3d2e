import { describe, expect, it } from '@jest/globals';
import { tenantLotsAbi, tenantRegistryAbi } from '#contracts';
import { AbiCoder, Interface } from 'ethers';
import { revertCode } from '#kernel';
import { RpcRefused } from '../rpc/rpc-errors.js';
import { refusalOf } from './reverts.js';

const contracts = [new Interface(tenantLotsAbi), new Interface(tenantRegistryAbi)];
const ADDRESS = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const sample = (type: string): unknown =>
  type === 'address' ? ADDRESS : type === 'bytes32' ? `0x${'ab'.repeat(32)}` : /^uint(32|48)$/.test(type) ? 7n : 2n ** 60n;
const refused = (data: string | null): RpcRefused => new RpcRefused(3, 'execution reverted', data);

describe('a reverting call', () => {
  interface CustomError {
    readonly name: string;
    readonly inputs: readonly { readonly name: string; readonly type: string }[];
  }
  const errors = contracts.flatMap((contract) =>
    contract.fragments
      .filter((fragment) => fragment.type === 'error')
      .map((fragment) => ({ contract, ...(fragment as unknown as CustomError), name: (fragment as unknown as CustomError).name })),
  );

  it('knows all errors of the contracts, each with a code of its own', () => {
    const names = [...new Set(errors.map(({ name }) => name))];
    expect(names.length).toBeGreaterThan(30);
    expect(new Set(names.map(revertCode)).size).toBe(names.length);
    expect(revertCode('HoldsRecalled')).toBe('holds_recalled');
  });

  it.each(errors.map((error) => [error.name, error] as const))(
    'with %s has its code and a plain sentence with its arguments',
    (name, { contract, inputs }) => {
      const values = inputs.map(({ type }) => sample(type));
      const refusal = refusalOf(refused(contract.encodeErrorResult(name, values)));
      expect(refusal.code).toBe(revertCode(name));
      expect(refusal.message).not.toMatch(/undefined|\[object/);
      expect(refusal.message).not.toContain(name);
      expect([409, 422]).toContain(refusal.status);
      expect(refusal.details).toMatchObject({ revert: { name } });
      const { args } = refusal.details.revert as { args: Record<string, unknown> };
      expect(Object.values(args).map((value) => String(value).toLowerCase())).toEqual(values.map((value) => String(value).toLowerCase()));
      expect(() => JSON.stringify(refusal.details)).not.toThrow();
    },
  );

  it.each([
    [
      'a plain sentence',
      `0x08c379a0${AbiCoder.defaultAbiCoder().encode(['string'], ['no luck']).slice(2)}`,
      'The call would revert: no luck.',
    ],
    ['an error of somebody else', '0xdeadbeef', 'The transaction would fail: execution reverted.'],
    ['nothing', null, 'The transaction would fail: execution reverted.'],
  ])('with %s says what is known', (_, data, sentence) => {
    expect(refusalOf(refused(data))).toMatchObject({ code: 'tx_would_revert', status: 422, message: sentence });
  });
});
