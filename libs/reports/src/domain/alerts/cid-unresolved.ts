import type { PointerFacts } from './facts.js';
import { aboutPointer, pointsToBytes } from './pointer-finding.js';
import type { Rule } from './rule.js';
import { be, counted } from './words.js';

export const cidUnresolved: Rule<PointerFacts> = {
  type: 'CID_UNRESOLVED',
  recommendation: 'Put the bytes back from a backup or from whoever holds them: the CID says which they are.',
  reference: null,
  headline: (count) => `${counted(count, 'stored content', 'stored contents')} ${be(count)} not to be had`,
  judge: (pointer) =>
    pointer.status === 'unresolved' && pointsToBytes(pointer)
      ? [aboutPointer('CID_UNRESOLVED', 'medium', pointer, `No bytes are to be had for ${short(pointer.value)}`)]
      : [],
};

/** By whole characters: an address may have any, and half of one is no text that the database takes. */
export function short(value: string): string {
  const letters = Array.from(value);
  return letters.length > 20 ? `${letters.slice(0, 12).join('')}…${letters.slice(-6).join('')}` : value;
}
