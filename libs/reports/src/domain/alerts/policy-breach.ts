import { aboutEvent, calling } from './event-finding.js';
import type { EventFacts } from './facts.js';
import type { Rule } from './rule.js';
import { counted, have } from './words.js';

/** What landed otherwise than it was prepared, or without us: the chain's values stand, and somebody should know (architecture §5). */
export const policyBreach: Rule<EventFacts> = {
  type: 'POLICY_BREACH',
  recommendation: 'Ask who signed the transaction; void the event if it did not happen so.',
  reference: null,
  headline: (count, group) => `${counted(count, 'event')}${group && ` of ${group}`} ${have(count)} landed otherwise than prepared`,
  judge(event) {
    if (event.calldataMismatch)
      return [
        aboutEvent('POLICY_BREACH', 'high', event, {
          key: 'calldata',
          title: `${calling(event)} landed otherwise than it was prepared`,
          detail: 'The transaction that landed differs from the one that was prepared; what stands on chain counts.',
          evidence: { calldataMismatch: true },
          threshold: { calldataMismatch: false },
        }),
      ];
    if (event.resolved) return [];
    return [
      aboutEvent('POLICY_BREACH', 'high', event, {
        key: 'content',
        title: `${calling(event)} has no content that anybody knows`,
        detail: 'It was sent to the contract without this service, and no bytes with its data hash are to be had.',
        evidence: { resolved: false },
        threshold: { resolved: true },
      }),
    ];
  },
};
