import { elementParts, identifierLength } from './element-formats.js';

/** GS1 Digital Link: Compression, the URI-safe base 64 alphabet: six bits a character. */
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const LOWER_HEX = '0123456789abcdef';
/** Longer ones are on no carrier: a QR code that phones read from packages has a few hundred characters. */
const MOST = 500;

/** Optimisation table of the standard: sequences of application identifiers with a code of two hexadecimal digits that is no identifier. */
const SEQUENCES: Readonly<Record<string, readonly string[]>> = {
  ...{ '0A': ['01', '22'], '0B': ['01', '10'], '0C': ['01', '21'], '0D': ['01', '17'], '0E': ['01', '7003'], '0F': ['01', '30'] },
  ...{ '1A': ['01', '10', '21', '17'], '1B': ['01', '15'], '1C': ['01', '11'], '1D': ['01', '16'], '1E': ['01', '91'] },
  ...{ '1F': ['01', '10', '15'], '9A': ['8010', '8011'], '9B': ['8017', '8019'], '9C': ['8018', '8019'], '9D': ['414', '254'] },
  ...numbered('2ABCDEF', (i) => ['01', `310${i}`]),
  ...numbered('3ABCDEF', (i) => ['01', `320${i}`]),
  ...numbered('A0123456789', (i) => ['01', `392${i}`]),
  ...numbered('C0123456789', (i) => ['255', `390${i}`]),
  ...numbered('CABCD', (i) => ['255', `394${i}`]),
};

function numbered(codes: string, sequence: (i: number) => readonly string[]): Readonly<Record<string, readonly string[]>> {
  const [first, ...seconds] = codes;
  return Object.fromEntries(seconds.map((second, i) => [`${first}${second}`, sequence(i)]));
}

/** Bits for a number of so many digits, and for a length of at most so many characters: the tables of the standard. */
const digitBits = (digits: number): number => Math.ceil(digits * Math.log2(10) + 0.01);
const lengthBits = (most: number): number => Math.ceil(Math.log2(most) + 0.01);

/** Not the text of a compressed link. */
class NotCompressed extends Error {}

class BitReader {
  private readonly bits: bigint;
  left: number;

  constructor(text: string) {
    let bits = 0n;
    for (const character of text) {
      const index = ALPHABET.indexOf(character);
      if (index < 0) throw new NotCompressed();
      bits = (bits << 6n) | BigInt(index);
    }
    this.bits = bits;
    this.left = 6 * text.length;
  }

  take(count: number): bigint {
    this.left -= count;
    if (this.left < 0) throw new NotCompressed();
    return (this.bits >> BigInt(this.left)) & ((1n << BigInt(count)) - 1n);
  }

  number(count: number): number {
    return Number(this.take(count));
  }

  /** A number with leading zeros. */
  digits(length: number): string {
    const digits = this.take(digitBits(length)).toString();
    if (digits.length > Math.max(1, length)) throw new NotCompressed();
    return length === 0 ? '' : digits.padStart(length, '0');
  }

  letters(length: number, width: number, letter: (index: number) => string): string {
    return Array.from({ length }, () => letter(this.number(width))).join('');
  }

  /** A text in one of the five encodings of the standard, each with the fewest bits for its characters. */
  text(encoding: number, length: number): string {
    switch (encoding) {
      case 0:
        return this.digits(length);
      case 1:
        return this.letters(length, 4, (index) => LOWER_HEX[index]!);
      case 2:
        return this.letters(length, 4, (index) => LOWER_HEX[index]!.toUpperCase());
      case 3:
        return this.letters(length, 6, (index) => ALPHABET[index]!);
      case 4:
        return this.letters(length, 7, (index) => String.fromCharCode(index));
      default:
        throw new NotCompressed();
    }
  }
}

/** Application identifier or another name, and its value. */
export type CompressedPair = readonly [key: string, value: string];

/**
 * What a compressed segment of a GS1 Digital Link says, in its order (GS1 Digital Link: Compression): elements with their application
 * identifiers, and pairs of the query with other names. Null for a text that is no compressed link; the values are not checked.
 */
export function decompressed(segment: string): readonly CompressedPair[] | null {
  if (segment.length < 3 || segment.length > MOST) return null;
  try {
    const reader = new BitReader(segment);
    const pairs: CompressedPair[] = [];
    // What is left then fills the last character.
    while (reader.left > 8) pairs.push(...pairsAt(reader));
    return reader.take(reader.left) === 0n && pairs.length > 0 ? pairs : null;
  } catch (error) {
    if (error instanceof NotCompressed) return null;
    throw error;
  }
}

function pairsAt(reader: BitReader): CompressedPair[] {
  const [first, second] = [reader.number(4), reader.number(4)];
  if (first === 15) return [otherPair(reader, second)];
  const code = `${first.toString(16)}${second.toString(16)}`.toUpperCase();
  if (Object.hasOwn(SEQUENCES, code)) return SEQUENCES[code]!.map((identifier) => element(reader, identifier));
  const length = /^\d\d$/.test(code) ? identifierLength(code) : null;
  if (length === null) throw new NotCompressed();
  const rest = reader.letters(length - 2, 4, (index) => index.toString(16));
  return [element(reader, code + rest)];
}

function element(reader: BitReader, identifier: string): CompressedPair {
  const parts = elementParts(identifier);
  if (parts === null) throw new NotCompressed();
  const value = parts.map(({ digitsOnly, length, fixed }) => {
    if (digitsOnly) return reader.digits(fixed ? length : reader.number(lengthBits(length)));
    const encoding = reader.number(3);
    return reader.text(encoding, fixed ? length : reader.number(lengthBits(length)));
  });
  return [identifier, value.join('')];
}

/** A pair whose name is no application identifier: four bits 1111, a length of seven bits, its name, and its value. */
function otherPair(reader: BitReader, lengthStart: number): CompressedPair {
  const nameLength = (lengthStart << 3) | reader.number(3);
  const name = reader.letters(nameLength, 6, (index) => ALPHABET[index]!);
  const encoding = reader.number(3);
  return [name, reader.text(encoding, reader.number(7))];
}
