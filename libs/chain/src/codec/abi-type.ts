import { checksumAddress, ZERO_ADDRESS } from '#kernel';

/** Parameter of an ABI entry as solc writes it. */
export interface AbiParameter {
  readonly name: string;
  readonly type: string;
  readonly indexed?: boolean;
  readonly components?: readonly AbiParameter[];
}

/** A value does not fit its ABI type. `path` is an RFC 6901 pointer below the arguments. */
export class UnfitArgument extends Error {
  constructor(
    readonly path: string,
    message: string,
  ) {
    super(message);
  }
}

/** Bytes that no compiler writes for this type. They are refused. */
export class MalformedAbi extends Error {}

/**
 * Encoder and decoder of one ABI type, built once from the ABI. Text is hex without `0x`, 64 characters per word; positions are offsets
 * into it. Our own code, because ethers needs 1.1 ms for one `recordEvent` and 110 µs for one log
 * ([ADR 0007](../../../../docs/adr/0007-own-json-rpc-and-codec.md)).
 */
export interface AbiType {
  readonly canonical: string;
  readonly dynamic: boolean;
  /** Characters in the head: 64 for every dynamic type. */
  readonly size: number;
  encode(value: unknown, path: string): string;
  /** `base` is the start of the type's head; offsets inside of it are relative to it. */
  decode(text: string, base: number): unknown;
}

const WORD = 64;
const ZEROS = '0'.repeat(WORD);
const ZEROS_52 = '0'.repeat(52);
const ZEROS_56 = '0'.repeat(56);
const ZEROS_24 = '0'.repeat(24);

export function abiType(parameter: AbiParameter): AbiType {
  const array = /^(.*)\[\]$/.exec(parameter.type);
  if (array) return arrayOf(abiType({ ...parameter, type: array[1]! }));
  if (parameter.type === 'tuple') return tupleOf(parameter.components ?? []);
  const uint = /^uint(\d+)$/.exec(parameter.type);
  if (uint) return uintOf(Number(uint[1]));
  const fixed = /^bytes(\d+)$/.exec(parameter.type);
  if (fixed) return fixedBytes(Number(fixed[1]));
  const plain = PLAIN[parameter.type];
  if (!plain) throw new TypeError(`ABI type ${parameter.type} is not used by the contracts and not supported`);
  return plain;
}

/** A list of parameters: calldata after the selector, or the data of a log. */
export function tupleOf(parameters: readonly AbiParameter[]): AbiType {
  const types = parameters.map(abiType);
  const names = parameters.map((p) => p.name);
  const dynamic = types.some((type) => type.dynamic);
  const headSize = types.reduce((sum, type) => sum + type.size, 0);
  return {
    canonical: `(${types.map((type) => type.canonical).join(',')})`,
    dynamic,
    size: dynamic ? WORD : headSize,
    encode: (value, path) => encodeMembers(members(value, names, path), types, headSize, path, names),
    decode(text, base) {
      const result: Record<string, unknown> = {};
      for (let i = 0, head = base; i < types.length; head += types[i++]!.size) result[names[i]!] = decodeAt(types[i]!, text, base, head);
      return result;
    },
  };
}

function members(value: unknown, names: readonly string[], path: string): readonly unknown[] {
  if (Array.isArray(value)) {
    if (value.length !== names.length)
      throw new UnfitArgument(path, `takes ${names.length} values (${names.join(', ')}), not ${value.length}`);
    return value;
  }
  if (value === null || typeof value !== 'object') throw new UnfitArgument(path, `takes an object with ${names.join(', ')}`);
  return names.map((name) => (value as Record<string, unknown>)[name]);
}

function encodeMembers(
  values: readonly unknown[],
  types: readonly AbiType[],
  headSize: number,
  path: string,
  names: readonly string[] | null,
): string {
  let head = '';
  let tail = '';
  for (let i = 0; i < types.length; i++) {
    const type = types[i]!;
    const encoded = type.encode(values[i], path === '' && names === null ? `/${i}` : `${path}/${names?.[i] || i}`);
    if (type.dynamic) {
      head += wordOf((headSize + tail.length) / 2);
      tail += encoded;
    } else head += encoded;
  }
  return head + tail;
}

function arrayOf(item: AbiType): AbiType {
  return {
    canonical: `${item.canonical}[]`,
    dynamic: true,
    size: WORD,
    encode(value, path) {
      if (!Array.isArray(value)) throw new UnfitArgument(path, 'takes an array');
      let text = wordOf(value.length);
      const types = value.map(() => item);
      if (item.dynamic) return text + encodeMembers(value, types, value.length * WORD, path, null);
      for (let i = 0; i < value.length; i++) text += item.encode(value[i], `${path}/${i}`);
      return text;
    },
    decode(text, base) {
      const length = smallAt(text, base);
      const start = base + WORD;
      // Checked before anything is allocated: the length is untrusted input.
      if (length * item.size > text.length - start) throw new MalformedAbi(`an array of ${length} does not fit into the data`);
      const items = Array.from<unknown>({ length });
      for (let i = 0; i < length; i++) items[i] = decodeAt(item, text, start, start + i * item.size);
      return items;
    },
  };
}

function decodeAt(type: AbiType, text: string, base: number, head: number): unknown {
  if (!type.dynamic) return type.decode(text, head);
  const offset = smallAt(text, head) * 2;
  if (offset % WORD !== 0 || base + offset + WORD > text.length) throw new MalformedAbi('an offset points out of the data');
  return type.decode(text, base + offset);
}

function uintOf(bits: number): AbiType {
  const limit = 1n << BigInt(bits);
  const asNumber = bits <= 32;
  const leading = ZEROS.slice(bits / 4);
  return {
    canonical: `uint${bits}`,
    dynamic: false,
    size: WORD,
    encode(value, path) {
      if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && (bits >= 53 || value < 2 ** bits)) return wordOf(value);
      const big = integer(value, path);
      if (big < 0n || big >= limit) throw new UnfitArgument(path, `takes an integer from 0 to 2^${bits} - 1`);
      const text = big.toString(16);
      return ZEROS.slice(text.length) + text;
    },
    decode(text, base) {
      const word = wordAt(text, base);
      if (!word.startsWith(leading)) throw new MalformedAbi(`more than ${bits} bits`);
      return asNumber ? Number.parseInt(word.slice(leading.length), 16) : bigintOf(word);
    },
  };
}

/** Most words are small numbers, and BigInt() is four times as fast for a short text as for 64 digits. */
function bigintOf(word: string): bigint {
  if (word.startsWith(ZEROS_52)) return BigInt(Number.parseInt(word.slice(52), 16));
  return BigInt(`0x${word}`);
}

function integer(value: unknown, path: string): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
  if (typeof value === 'string' && /^(0|[1-9]\d{0,77}|0x[0-9a-fA-F]{1,64})$/.test(value)) return BigInt(value);
  throw new UnfitArgument(path, 'takes an integer, or its decimal string');
}

const fixedBytes = (length: number): AbiType => {
  const pattern = new RegExp(`^0x[0-9a-fA-F]{${length * 2}}$`);
  const padding = ZEROS.slice(length * 2);
  return {
    canonical: `bytes${length}`,
    dynamic: false,
    size: WORD,
    encode(value, path) {
      if (typeof value !== 'string' || !pattern.test(value))
        throw new UnfitArgument(path, `takes ${length} bytes as 0x and ${length * 2} hex digits`);
      return value.slice(2).toLowerCase() + padding;
    },
    decode(text, base) {
      const word = wordAt(text, base);
      if (padding !== '' && !word.endsWith(padding)) throw new MalformedAbi(`more than ${length} bytes`);
      return `0x${word.slice(0, length * 2)}`;
    },
  };
};

const bytesLike = (canonical: 'bytes' | 'string'): AbiType => ({
  canonical,
  dynamic: true,
  size: WORD,
  encode(value, path) {
    const hex = canonical === 'string' ? textHex(value, path) : bytesHex(value, path);
    const rest = hex.length % WORD;
    return wordOf(hex.length / 2) + hex + (rest === 0 ? '' : ZEROS.slice(rest));
  },
  decode(text, base) {
    const length = smallAt(text, base) * 2;
    const start = base + WORD;
    if (start + length > text.length) throw new MalformedAbi('bytes do not fit into the data');
    const hex = text.slice(start, start + length);
    return canonical === 'string' ? Buffer.from(hex, 'hex').toString('utf8') : `0x${hex}`;
  },
});

function textHex(value: unknown, path: string): string {
  if (typeof value !== 'string') throw new UnfitArgument(path, 'takes a string');
  return Buffer.from(value, 'utf8').toString('hex');
}

function bytesHex(value: unknown, path: string): string {
  if (typeof value !== 'string' || !/^0x([0-9a-fA-F]{2})*$/.test(value)) throw new UnfitArgument(path, 'takes bytes as 0x and hex digits');
  return value.slice(2).toLowerCase();
}

const PLAIN: Readonly<Record<string, AbiType>> = {
  bytes: bytesLike('bytes'),
  string: bytesLike('string'),
  address: {
    canonical: 'address',
    dynamic: false,
    size: WORD,
    encode(value, path) {
      if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(value)) throw new UnfitArgument(path, 'takes an address');
      return ZEROS.slice(40) + value.slice(2).toLowerCase();
    },
    decode(text, base) {
      const word = wordAt(text, base);
      if (!word.startsWith(ZEROS_24)) throw new MalformedAbi('more than 20 bytes');
      return addressOf(word.slice(24));
    },
  },
  bool: {
    canonical: 'bool',
    dynamic: false,
    size: WORD,
    encode(value, path) {
      if (typeof value !== 'boolean') throw new UnfitArgument(path, 'takes true or false');
      return wordOf(value ? 1 : 0);
    },
    decode(text, base) {
      const n = smallAt(text, base);
      if (n > 1) throw new MalformedAbi('neither true nor false');
      return n === 1;
    },
  },
};

/** A checksum needs a keccak, and the same wallets occur again and again. The limit keeps a public chain from filling the memory. */
const checksums = new Map<string, string>([[ZERO_ADDRESS.slice(2), ZERO_ADDRESS]]);
const MAX_CHECKSUMS = 50_000;

/** EIP-55 form of 40 lower-case hex digits. */
export function addressOf(digits: string): string {
  const known = checksums.get(digits);
  if (known !== undefined) return known;
  if (checksums.size >= MAX_CHECKSUMS) checksums.clear();
  const address = checksumAddress(`0x${digits}`);
  checksums.set(digits, address);
  return address;
}

function wordOf(n: number): string {
  const text = n.toString(16);
  return ZEROS.slice(text.length) + text;
}

function wordAt(text: string, base: number): string {
  if (base + WORD > text.length) throw new MalformedAbi('the data ends too early');
  return text.slice(base, base + WORD);
}

/** A length, an offset or a flag: far below 2^32 in every answer that fits into memory. */
function smallAt(text: string, base: number): number {
  const word = wordAt(text, base);
  if (!word.startsWith(ZEROS_56)) throw new MalformedAbi('a length or offset is out of bounds');
  return Number.parseInt(word.slice(56), 16);
}

const LOWER_HEX = /^0x[0-9a-f]*$/;

/** The digits after `0x`, in lower case. @throws MalformedAbi */
export function hexDigits(data: string): string {
  const lower = LOWER_HEX.test(data) ? data : data.toLowerCase();
  if (lower.length % 2 !== 0 || !LOWER_HEX.test(lower)) throw new MalformedAbi('not hex bytes');
  return lower.slice(2);
}
