/** Shortest text that is sealed: shorter ones all look alike. */
const SHORTEST = 128;

/** Padmé (Nikitin et al., PURBs, 2019): at most 12 % longer, and of all lengths only few remain. */
export function padmeLength(length: number): number {
  if (length <= SHORTEST) return SHORTEST;
  const exponent = Math.floor(Math.log2(length));
  const mask = 2 ** (exponent - (Math.floor(Math.log2(exponent)) + 1)) - 1;
  return (length + mask) & ~mask;
}

/** Personal values have few lengths, all of them lengths of Padmé: 128, 256, 512 … bytes. */
export const personalLength = (length: number): number => Math.max(SHORTEST, 2 ** Math.ceil(Math.log2(length)));

/** JSON may end with spaces, so padding needs no mark of its own. */
export function padded(text: string, toLength: (length: number) => number): Buffer {
  const length = Buffer.byteLength(text);
  const bytes = Buffer.allocUnsafe(toLength(length));
  bytes.write(text);
  return bytes.fill(' ', length);
}

/** Longest list of personal values of one length that is filled up to a multiple of eight; longer values are few, and cost more. */
const EIGHTS_UP_TO = 512;

/** How many values of a length are written for so many: neither tells how many persons there are. */
export function countWritten(count: number, length: number): number {
  if (length <= EIGHTS_UP_TO) return Math.ceil(count / 8) * 8;
  return 2 ** Math.ceil(Math.log2(count));
}
