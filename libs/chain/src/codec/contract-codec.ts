import { keccakOf } from '#kernel';
import { type AbiParameter, type AbiType, abiType, hexDigits, MalformedAbi, tupleOf, UnfitArgument } from './abi-type.js';

export interface AbiEntry {
  readonly type: string;
  readonly name?: string;
  readonly stateMutability?: string;
  readonly inputs?: readonly AbiParameter[];
}

/** A state-changing function, as `tx/prepare` shows it to callers. */
export interface ContractMethod {
  readonly name: string;
  /** `name(type,…)`: distinguishes overloads. */
  readonly signature: string;
  readonly inputs: readonly AbiParameter[];
}

/** A log as in JSON-RPC. */
export interface RawLog {
  readonly topics: readonly string[];
  readonly data: string;
}

export interface Decoded {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

interface Method extends ContractMethod {
  readonly selector: string;
  readonly codec: AbiType;
}

interface EventShape {
  readonly name: string;
  readonly indexed: readonly { readonly name: string; readonly type: AbiType }[];
  readonly data: AbiType;
}

/** Encodes and decodes calls, logs and errors of one contract by its ABI. Build it once. */
export class ContractCodec {
  private readonly methods: readonly Method[];
  private readonly views: readonly Method[];
  private readonly events = new Map<string, EventShape>();
  private readonly errors = new Map<string, { readonly name: string; readonly codec: AbiType }>();

  constructor(abi: readonly AbiEntry[]) {
    const functions = abi.filter(({ type }) => type === 'function');
    this.methods = functions.filter((entry) => !isView(entry)).map(methodOf);
    this.views = functions.filter(isView).map(methodOf);
    for (const entry of abi) {
      if (entry.type === 'event') this.events.set(keccakOf(signatureOf(entry)), eventOf(entry));
      if (entry.type === 'error')
        this.errors.set(selectorOf(signatureOf(entry)), { name: entry.name!, codec: tupleOf(entry.inputs ?? []) });
    }
  }

  stateChanging(): readonly ContractMethod[] {
    return this.methods;
  }

  topicOf(event: string): string | undefined {
    return [...this.events].find(([, shape]) => shape.name === event)?.[0];
  }

  /**
   * Calldata of a state-changing method. `method` is its name or signature; of overloaded methods with the same name, the one with the
   * same number of parameters is used. Null when there is no such method. @throws UnfitArgument
   */
  encodeCall(method: string, args: readonly unknown[]): string | null {
    const named = this.methods.filter((m) => m.name === method || m.signature === method);
    const fitting = named.find((m) => m.inputs.length === args.length) ?? named[0];
    if (!fitting) return null;
    if (fitting.inputs.length !== args.length)
      throw new UnfitArgument('', `${fitting.signature} takes ${fitting.inputs.length} arguments, not ${args.length}`);
    return fitting.selector + fitting.codec.encode(args, '');
  }

  /** Calldata of a question to the contract, by its name. @throws UnfitArgument */
  encodeView(name: string, args: readonly unknown[]): string {
    const view = this.views.find((one) => one.name === name);
    if (!view) throw new TypeError(`the contract has no view ${name}`);
    return view.selector + view.codec.encode(args, '');
  }

  /** Null for calldata of another contract. @throws MalformedAbi */
  decodeCall(data: string): Decoded | null {
    const text = hexDigits(data);
    const method = this.methods.find((m) => m.selector === `0x${text.slice(0, 8)}`);
    return method ? { name: method.name, args: method.codec.decode(text, 8) as Decoded['args'] } : null;
  }

  /** Null for a log that this contract does not emit. @throws MalformedAbi when its data is not that of its topic */
  decodeLog(log: RawLog): Decoded | null {
    const shape = this.events.get(log.topics[0] ?? '');
    if (!shape) return null;
    if (log.topics.length !== shape.indexed.length + 1)
      throw new MalformedAbi(`${shape.name} has ${shape.indexed.length} indexed arguments`);
    const args: Record<string, unknown> = {};
    for (let i = 0; i < shape.indexed.length; i++) {
      const { name, type } = shape.indexed[i]!;
      args[name] = type.decode(topicWord(log.topics[i + 1]!), 0);
    }
    return { name: shape.name, args: Object.assign(args, shape.data.decode(hexDigits(log.data), 0)) };
  }

  /** The contract's custom error, or Solidity's own `Error(string)` and `Panic(uint256)`; null for anything else. */
  decodeError(data: string): Decoded | null {
    try {
      const text = hexDigits(data);
      const selector = `0x${text.slice(0, 8)}`;
      const error = this.errors.get(selector) ?? SOLIDITY.get(selector);
      return error ? { name: error.name, args: error.codec.decode(text, 8) as Decoded['args'] } : null;
    } catch (error) {
      if (error instanceof MalformedAbi) return null;
      throw error;
    }
  }
}

const SOLIDITY = new Map([
  ['0x08c379a0', { name: 'Error', codec: tupleOf([{ name: 'message', type: 'string' }]) }],
  ['0x4e487b71', { name: 'Panic', codec: tupleOf([{ name: 'code', type: 'uint256' }]) }],
]);

const isView = (entry: AbiEntry): boolean => entry.stateMutability === 'view' || entry.stateMutability === 'pure';
const signatureOf = (entry: AbiEntry): string => entry.name! + tupleOf(entry.inputs ?? []).canonical;
const selectorOf = (signature: string): string => keccakOf(signature).slice(0, 10);

function methodOf(entry: AbiEntry): Method {
  const signature = signatureOf(entry);
  const inputs = entry.inputs ?? [];
  return { name: entry.name!, signature, inputs, selector: selectorOf(signature), codec: tupleOf(inputs) };
}

function eventOf(entry: AbiEntry): EventShape {
  const inputs = entry.inputs ?? [];
  const single = (parameter: AbiParameter) => ({ name: parameter.name, type: indexedType(parameter) });
  return { name: entry.name!, indexed: inputs.filter((p) => p.indexed).map(single), data: tupleOf(inputs.filter((p) => !p.indexed)) };
}

/** The contracts index single words only: a topic of an array or string would contain just its hash. */
function indexedType(parameter: AbiParameter): AbiType {
  const type = abiType(parameter);
  if (type.dynamic || type.size !== 64) throw new TypeError(`indexed ${parameter.type} cannot be decoded`);
  return type;
}

function topicWord(topic: string): string {
  const text = hexDigits(topic);
  if (text.length !== 64) throw new MalformedAbi('a topic is one word');
  return text;
}
