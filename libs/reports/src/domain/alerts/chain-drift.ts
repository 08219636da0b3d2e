import type { PointerFacts } from './facts.js';
import { aboutPointer, pointsIntoChain } from './pointer-finding.js';
import type { Rule } from './rule.js';
import { counted } from './words.js';

export const chainDrift: Rule<PointerFacts> = {
  type: 'CHAIN_DRIFT',
  recommendation: 'The record differs from the chain, which is right: reindex the tenant and look for who wrote to the database.',
  reference: null,
  headline: (count) => `${counted(count, 'record')} ${count === 1 ? 'differs' : 'differ'} from the chain`,
  judge: (pointer) =>
    pointer.status === 'mismatch' && pointsIntoChain(pointer)
      ? [aboutPointer('CHAIN_DRIFT', 'critical', pointer, `The record of ${pointer.tlc ?? pointer.subjectId} differs from the chain`)]
      : [],
};
