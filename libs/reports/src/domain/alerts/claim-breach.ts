import type { Finding } from './alert.js';
import { newestMap } from './circumstances.js';
import { aboutEvent, calling } from './event-finding.js';
import type { EventFacts, EventInput } from './facts.js';
import type { Rule } from './rule.js';
import { counted, listed, percent } from './words.js';

export const CLAIM_BREACH = {
  type: 'CLAIM_BREACH',
  recommendation:
    'Separate the goods, or bring in as much under the claim as leaves under it, or publish a map whose chain-of-custody model they meet.',
  reference: 'ISO 22095',
  headline: (count: number, group: string): string =>
    `${counted(count, 'event')}${group && ` of ${group}`} ${count === 1 ? 'breaks' : 'break'} the chain-of-custody claim`,
} as const;

/**
 * The chain-of-custody model that the map claims (domain-decisions §4, ISO 22095). Goods of known origin are those of the same map
 * whose making is known; what came in from elsewhere breaks a segregated claim at the event that mixed it in, and is told there once.
 * `controlled_blending` reports its share and breaks nothing; `book_and_claim` and `none` have no bearing on the graph; `mass_balance`
 * is judged by site and period (`claim-balance.ts`).
 */
export const claimBreach: Rule<EventFacts> = {
  ...CLAIM_BREACH,
  judge(event, at) {
    const model = newestMap(at, event.mapName)?.chainOfCustody;
    if (model === undefined || event.outputs === 0) return [];
    return [
      ...(model === 'segregated' || model === 'identity_preserved' ? mixed(event, model) : []),
      ...(model === 'identity_preserved' ? origins(event) : []),
    ];
  },
};

function mixed(event: EventFacts, model: string): Finding[] {
  const unknown = event.inputs.filter((input) => !isKnown(event, input));
  if (unknown.length === 0) return [];
  const share = knownShare(event);
  return [
    aboutEvent('CLAIM_BREACH', 'high', event, {
      key: 'mixed',
      title: `${calling(event)} mixes in goods of unknown origin`,
      detail: `The map claims ${model.replace('_', ' ')}, and ${listed(unknown.slice(0, 5).map(({ tlc }) => tlc))}${unknown.length > 5 ? ` with ${unknown.length - 5} more` : ''} came from outside of it${share === null ? '' : `: ${percent(share)} of the input are of known origin`}.`,
      evidence: { claimShare: share, unknown: unknown.map(({ tokenId, tlc }) => ({ tokenId: Number(tokenId), tlc })) },
      threshold: { chainOfCustody: model, claimShare: 1 },
    }),
  ];
}

function origins(event: EventFacts): Finding[] {
  if (event.origins === null || event.origins.length < 2) return [];
  return [
    aboutEvent('CLAIM_BREACH', 'high', event, {
      key: 'origins',
      title: `${calling(event)} mixes goods of several sites`,
      detail: `The map claims identity preserved, and its goods come from ${listed(event.origins)}.`,
      evidence: { origins: event.origins },
      threshold: { chainOfCustody: 'identity_preserved', origins: 1 },
    }),
  ];
}

const isKnown = (event: EventFacts, input: EventInput): boolean => input.resolved && input.mapName === event.mapName;

/** Share of the input's mass that is of known origin, six decimals; null where a mass is unknown. */
function knownShare(event: EventFacts): number | null {
  if (event.inputs.some(({ usedKg }) => usedKg === null)) return null;
  const mass = (inputs: readonly EventInput[]): number => inputs.reduce((sum, { usedKg }) => sum + usedKg!, 0);
  const all = mass(event.inputs);
  return all === 0 ? null : Math.round((mass(event.inputs.filter((input) => isKnown(event, input))) / all) * 1e6) / 1e6;
}
