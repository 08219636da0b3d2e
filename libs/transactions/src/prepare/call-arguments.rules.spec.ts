import { describe, expect, it } from '@jest/globals';
import { type DomainError, ZERO_BYTES32, keccakOf } from '#kernel';
import { type GenericInput, callArguments, inRequest, requireSameProcess } from './call-arguments.rules.js';
import type { Method, Parameter } from './contract-method.js';

const mill = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const hash = `0x${'1'.repeat(64)}` as const;
const p = (name: string, type: string, components?: Parameter[]): Parameter => ({ name, type, ...(components && { components }) });
const method = (name: string, ...inputs: Parameter[]): Method => ({ name, signature: name, inputs });
const e = p('e', 'tuple', [p('eventId', 'bytes32'), p('processId', 'bytes32'), p('dataHash', 'bytes32')]);
const retire = method('retire', p('tokenIds', 'uint256[]'), p('quantities', 'uint256[]'), p('reason_', 'uint8'), e);
const recall = method('recall', p('tokenId', 'uint256'), p('dataHash', 'bytes32'));
const pause = method('pause', p('until', 'uint256'));
const setRoles = method('setRoles', p('account', 'address'), p('roles', 'uint256'));
const outputs = p('outputs', 'tuple[]', [
  p('tlcHash', 'bytes32'),
  p('assetType', 'bytes32'),
  p('custodian', 'address'),
  p('quantity', 'uint80'),
  p('expiresAt', 'uint40'),
]);
const voidEvent = method('voidEvent', p('consumed_', 'uint256[]'), outputs);

const input = (args: object, more: Partial<GenericInput> = {}): GenericInput => ({
  method: 'm',
  processId: ZERO_BYTES32,
  metadata: { args, note: 'x' },
  ...more,
});
function problemsOf(of: Method, given: GenericInput): [string, string][] {
  try {
    callArguments(of, given, ZERO_BYTES32);
    return [];
  } catch (error) {
    return (error as DomainError).details.errors!.map(({ pointer, code }) => [pointer, code]);
  }
}

describe('arguments of a call', () => {
  it('come from the fields of the request and, by name, from metadata.args, in the order of the contract', () => {
    const args = callArguments(retire, input({ reason: 2, quantities: ['1.5', 'all', 7] }, { inputTokenIds: [1, '2', 3] }), hash);
    expect(Object.keys(args)).toEqual(['tokenIds', 'quantities', 'reason_', 'e']);
    expect(args).toEqual({
      tokenIds: [1, '2', 3],
      quantities: [1_500_000n, 2n ** 256n - 1n, 7_000_000n],
      reason_: 2,
      e: { eventId: ZERO_BYTES32, processId: ZERO_BYTES32, dataHash: hash },
    });
  });

  it('take the one lot where the method takes one, and the hash of the stored metadata', () => {
    expect(callArguments(recall, input({}, { inputTokenIds: [5] }), hash)).toEqual({ tokenId: 5, dataHash: hash });
  });

  it('read times in seconds and as ISO 8601', () => {
    expect(callArguments(pause, input({ until: '2026-09-20T15:00:00Z' }), hash)).toEqual({ until: 1_789_916_400n });
    expect(callArguments(pause, input({ until: 1_789_916_400 }), hash)).toEqual({ until: 1_789_916_400 });
  });

  it('write outputs with the codes of the API', () => {
    const output = { tlc: 'RM-1', assetType: 'RICE_MILLED', custodian: mill, quantity: '7004', uom: 'KGM' };
    expect(callArguments(voidEvent, input({ consumed: [0] }, { outputs: [output] }), hash)).toEqual({
      consumed_: [0n],
      outputs: [{ tlcHash: keccakOf('RM-1'), assetType: keccakOf('RICE_MILLED'), custodian: mill, quantity: 7_004_000_000n, expiresAt: 0 }],
    });
  });

  it.each<[string, Method, GenericInput, [string, string][]]>([
    ['one is missing', setRoles, input({ account: mill }), [['/metadata/args/roles', 'missing_argument']]],
    ['one is unknown', pause, input({ until: 1, untill: 2 }), [['/metadata/args/untill', 'unknown_argument']]],
    [
      'an address has the wrong checksum',
      setRoles,
      input({ account: mill.toLowerCase(), roles: 1 }),
      [['/metadata/args/account', 'invalid_argument']],
    ],
    [
      'a quantity has seven decimals',
      retire,
      input({ quantities: ['0.1234567'], reason: 2 }, { inputTokenIds: [1] }),
      [['/metadata/args/quantities/0', 'invalid_argument']],
    ],
    [
      'a quantity is negative',
      retire,
      input({ quantities: [-1], reason: 2 }, { inputTokenIds: [1] }),
      [['/metadata/args/quantities/0', 'invalid_argument']],
    ],
    ['a time is none', pause, input({ until: 'soon' }), [['/metadata/args/until', 'invalid_argument']]],
    [
      'lots are given that the method has no place for',
      pause,
      input({ until: 1 }, { inputTokenIds: [1] }),
      [['/inputTokenIds', 'unknown_argument']],
    ],
    [
      'two lots are given where one has a place',
      recall,
      input({}, { inputTokenIds: [1, 2] }),
      [
        ['/inputTokenIds', 'unknown_argument'],
        ['/metadata/args/tokenId', 'missing_argument'],
      ],
    ],
    [
      'outputs are given that the method has no place for',
      recall,
      input({ tokenId: 1 }, { outputs: [{}] }),
      [['/outputs', 'unknown_argument']],
    ],
    ['the lots are given twice', recall, input({ tokenId: 1 }, { inputTokenIds: [2] }), [['/metadata/args/tokenId', 'given_twice']]],
    [
      'a struct lacks a field and has another',
      retire,
      input({ quantities: [1], reason: 2, e: { eventId: hash, processId: hash, hash } }, { inputTokenIds: [1] }),
      [
        ['/metadata/args/e/hash', 'unknown_argument'],
        ['/metadata/args/e/dataHash', 'missing_argument'],
      ],
    ],
    ['the arguments are no object', pause, { ...input({}), metadata: { args: [1] } }, [['/metadata/args', 'wrong_type']]],
  ])('are refused when %s', (_, of, given, expected) => {
    expect(problemsOf(of, given)).toEqual(expected);
  });

  it('may not name another process than the request, whose scope was checked', () => {
    const args = { e: { eventId: hash, processId: hash, dataHash: hash } };
    expect(() => requireSameProcess(args, ZERO_BYTES32)).toThrow('must be the processId of the request');
    expect(() => requireSameProcess(args, hash)).not.toThrow();
  });

  it('are pointed at where the caller wrote them', () => {
    expect(inRequest('/args/tokenIds/3', input({}, { inputTokenIds: [1] }))).toBe('/inputTokenIds/3');
    expect(inRequest('/args/tokenIds/3', input({ tokenIds: [1] }))).toBe('/metadata/args/tokenIds/3');
    expect(inRequest('/args/reason_', input({ reason: 900 }))).toBe('/metadata/args/reason');
  });
});
