import { short } from './cid-unresolved.js';
import type { PointerFacts } from './facts.js';
import { aboutPointer, pointsToBytes } from './pointer-finding.js';
import type { Rule } from './rule.js';
import { counted, have } from './words.js';

export const cidMismatch: Rule<PointerFacts> = {
  type: 'CID_MISMATCH',
  recommendation: 'The stored bytes are not those that were recorded: put the right ones back and find out who changed them.',
  reference: null,
  headline: (count) => `${counted(count, 'stored content', 'stored contents')} ${have(count)} been changed`,
  judge: (pointer) =>
    pointer.status === 'mismatch' && pointsToBytes(pointer)
      ? [aboutPointer('CID_MISMATCH', 'critical', pointer, `The bytes of ${short(pointer.value)} have been changed`)]
      : [],
};
