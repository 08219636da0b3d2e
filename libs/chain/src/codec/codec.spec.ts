import { describe, expect, it } from '@jest/globals';
import { tenantLotsAbi, tenantRegistryAbi } from '#contracts';
import { Interface, type ParamType, type Result } from 'ethers';
import * as fc from 'fast-check';
import { type AbiParameter, MalformedAbi } from './abi-type.js';
import { ContractCodec, type RawLog } from './contract-codec.js';
import { decodeLog, decodeRevert, encodeCall, methodsOf } from './tenant-lots.js';

/** Random values of an ABI type, in the form that both ethers and this codec take. */
function values(parameter: AbiParameter): fc.Arbitrary<unknown> {
  if (parameter.type.endsWith('[]')) return fc.array(values({ ...parameter, type: parameter.type.slice(0, -2) }), { maxLength: 5 });
  if (parameter.type === 'tuple') return fc.tuple(...parameter.components!.map(values));
  const uint = /^uint(\d+)$/.exec(parameter.type);
  if (uint)
    return fc.oneof(fc.bigInt({ min: 0n, max: (1n << BigInt(uint[1]!)) - 1n }), fc.constantFrom(0n, 1n, (1n << BigInt(uint[1]!)) - 1n));
  const bytes = /^bytes(\d+)$/.exec(parameter.type);
  if (bytes) return hex(Number(bytes[1]), Number(bytes[1]));
  if (parameter.type === 'bytes') return hex(0, 70);
  if (parameter.type === 'string') return fc.string({ unit: 'grapheme', maxLength: 70 });
  if (parameter.type === 'bool') return fc.boolean();
  if (parameter.type === 'address') return hex(20, 20);
  throw new Error(parameter.type);
}

const hex = (minLength: number, maxLength: number) =>
  fc.uint8Array({ minLength, maxLength }).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`);

/** ethers' results in the shape of this codec: small integers as numbers, structs as objects. */
function plain(value: unknown, type: ParamType): unknown {
  if (type.baseType === 'array') return (value as Result).toArray().map((item) => plain(item, type.arrayChildren!));
  if (type.baseType === 'tuple') return Object.fromEntries(type.components!.map((c, i) => [c.name, plain((value as Result)[i], c)]));
  const bits = /^uint(\d+)$/.exec(type.type)?.[1];
  return bits && Number(bits) <= 32 ? Number(value) : value;
}

const plainAll = (result: Result, types: readonly ParamType[]) =>
  Object.fromEntries(types.map((type, i) => [type.name, plain(result[i], type)]));

for (const [contract, abi] of [
  ['TenantLots', tenantLotsAbi],
  ['TenantRegistry', tenantRegistryAbi],
] as const) {
  const ethers = new Interface(abi);
  const own = new ContractCodec(abi);

  describe(`codec of ${contract} against ethers`, () => {
    it.each(own.stateChanging().map((m) => [m.signature, m] as const))(
      'encodes %s to the same bytes and reads them back',
      (signature, method) => {
        const fragment = ethers.getFunction(signature)!;
        fc.assert(
          fc.property(fc.tuple(...method.inputs.map(values)), (args) => {
            const data = ethers.encodeFunctionData(fragment, args);
            expect(own.encodeCall(signature, args)).toBe(data);
            expect(own.decodeCall(data)!.args).toEqual(plainAll(ethers.decodeFunctionData(fragment, data), fragment.inputs));
          }),
          { numRuns: 60 },
        );
      },
    );

    const events = abi.filter((entry) => entry.type === 'event');
    it.each(events.map((e) => [e.name, e] as const))('decodes the event %s to the same arguments', (name, event) => {
      const fragment = ethers.getEvent(name)!;
      fc.assert(
        fc.property(fc.tuple(...(event.inputs as readonly AbiParameter[]).map(values)), (args) => {
          const log = ethers.encodeEventLog(fragment, args);
          expect(own.decodeLog(log)).toEqual({
            name,
            args: plainAll(ethers.decodeEventLog(fragment, log.data, log.topics), fragment.inputs),
          });
        }),
        { numRuns: 60 },
      );
    });

    const errors = abi.filter((entry) => entry.type === 'error');
    it.each(errors.map((e) => [e.name, e] as const))('decodes the error %s to the same arguments', (name, error) => {
      const fragment = ethers.getError(name)!;
      fc.assert(
        fc.property(fc.tuple(...(error.inputs as readonly AbiParameter[]).map(values)), (args) => {
          const data = ethers.encodeErrorResult(fragment, args);
          expect(own.decodeError(data)).toEqual({ name, args: plainAll(ethers.decodeErrorResult(fragment, data), fragment.inputs) });
        }),
        { numRuns: 20 },
      );
    });
  });
}

describe('what the codec refuses', () => {
  const recorded = new Interface(tenantLotsAbi).encodeEventLog('EventRecorded', [
    word(1),
    word(2),
    address(3),
    word(4),
    0,
    [5n, 6n],
    [7n, 8n],
    9n,
    1n,
  ]);

  it('reads a whole log', () => {
    expect(decodeLog(recorded)).toMatchObject({
      name: 'EventRecorded',
      args: { inputTokenIds: [5n, 6n], outputCount: 1, firstOutputId: 9n },
    });
  });

  it('refuses every truncation of a log', () => {
    for (let end = 2; end < recorded.data.length; end += 64) {
      expect(() => decodeLog({ ...recorded, data: recorded.data.slice(0, end) })).toThrow(MalformedAbi);
    }
  });

  it('never reads beyond the data, whatever one word is changed to', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: (recorded.data.length - 2) / 64 - 1 }),
        fc.bigInt({ min: 0n, max: (1n << 256n) - 1n }),
        (at, big) => {
          const start = 2 + at * 64;
          const data = recorded.data.slice(0, start) + big.toString(16).padStart(64, '0') + recorded.data.slice(start + 64);
          expect(['EventRecorded', 'refused']).toContain(outcome({ ...recorded, data }));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('refuses a missing topic and a dirty address', () => {
    expect(() => decodeLog({ ...recorded, topics: recorded.topics.slice(0, 3) })).toThrow(MalformedAbi);
    expect(() => decodeLog({ ...recorded, topics: [...recorded.topics.slice(0, 3), `0x${'f'.repeat(64)}`] })).toThrow(MalformedAbi);
  });

  it('passes over Transfer and events of strangers', () => {
    const transfer = new Interface(tenantLotsAbi).encodeEventLog('Transfer', [address(1), address(2), 3n]);
    expect(decodeLog(transfer)).toBeNull();
    expect(decodeLog({ topics: [word(77)], data: '0x' })).toBeNull();
    expect(decodeLog({ topics: [], data: '0x' })).toBeNull();
  });

  it('names what exists when a method is unknown', () => {
    expect(() => encodeCall('burn', [])).toThrow(expect.objectContaining({ code: 'unknown_method', status: 422 }));
    expect(methodsOf().map((m) => m.name)).toEqual(
      expect.arrayContaining(['recordEvent', 'offerCustody', 'recallMany', 'setProcessScope']),
    );
    expect(methodsOf().some((m) => m.name === 'lotOf')).toBe(false);
  });

  it('points at the argument that does not fit', () => {
    const output = { tlcHash: word(1), assetType: word(2), custodian: 'nobody', quantity: 1n, expiresAt: 0n };
    const pointers = (method: string, args: unknown[]) => {
      try {
        encodeCall(method, args);
      } catch (error) {
        return (error as { details: { errors: { pointer: string }[] } }).details.errors.map((e) => e.pointer);
      }
      return [];
    };
    expect(pointers('recordEvent', [word(1), word(2), [], [], [output], 0, word(3)])).toEqual(['/args/outputs/0/custodian']);
    expect(pointers('recordEvent', [word(1), word(2), [1n, -1n], [], [], 0, word(3)])).toEqual(['/args/inputTokenIds/1']);
    expect(pointers('recordEvent', [word(1), word(2), [], [], [], 256, word(3)])).toEqual(['/args/containmentMode']);
    expect(pointers('retire', [])).toEqual(['/args']);
  });

  it('reads the two errors of Solidity itself and nothing out of noise', () => {
    expect(decodeRevert(`0x4e487b71${'11'.padStart(64, '0')}`)).toEqual({ name: 'Panic', args: { code: 17n } });
    expect(decodeRevert('0x')).toBeNull();
    expect(decodeRevert('0x12345678')).toBeNull();
    expect(decodeRevert('0x08c379a0ff')).toBeNull();
  });
});

function outcome(log: RawLog): string {
  try {
    return decodeLog(log)!.name;
  } catch (error) {
    return error instanceof MalformedAbi ? 'refused' : String(error);
  }
}
function word(n: number): string {
  return `0x${n.toString(16).padStart(64, '0')}`;
}
function address(n: number): string {
  return `0x${n.toString(16).padStart(40, '0')}`;
}
