import { CLAIM_BREACH } from './claim-breach.js';
import { newestMap } from './circumstances.js';
import { calling, nameOf } from './event-finding.js';
import { eventSubject } from './alert.js';
import type { ClaimBalanceFacts, ClaimedEvent } from './facts.js';
import type { Rule } from './rule.js';
import { counted, day, kilograms } from './words.js';

/** A milligram: masses are sums of decimals. */
const NOTHING_KG = 1e-6;

/**
 * Mass balance (domain-decisions §4, ISO 22095-2): per site, period and claim, what leaves as main product under the claim is at most what
 * came in under it, times the conversion factor. The claim is the map, the period a quarter of a year, and the alert stands at the event
 * since which more has left than came in. Co-products are held to what went in by the balance of masses of their event.
 */
export const claimBalance: Rule<ClaimBalanceFacts> = {
  ...CLAIM_BREACH,
  judge(facts, at) {
    if (newestMap(at, facts.mapName)?.chainOfCustody !== 'mass_balance') return [];
    const { broken, claimedInKg, creditKg, outKg, unmeasured } = added(facts.events);
    if (broken === null) return [];
    const period = `${day(facts.from)} to ${day(new Date(facts.to.getTime() - 1))}`;
    return [
      {
        type: 'CLAIM_BREACH',
        severity: 'high',
        subject: eventSubject(broken),
        key: facts.key,
        title: `More left ${facts.site} under the claim of ${facts.mapName} than came in, since ${calling(broken)}`,
        detail:
          `From ${period}: ${kilograms(outKg)} of main products from ${kilograms(claimedInKg)} under the claim, which can become ${kilograms(creditKg)}: ${kilograms(outKg - creditKg)} too much.` +
          (unmeasured > 0 ? ` ${counted(unmeasured, 'event')} of unknown mass left out.` : ''),
        evidence: {
          site: facts.siteKey,
          from: facts.from.toISOString(),
          to: facts.to.toISOString(),
          claimedInKg,
          convertedInKg: creditKg,
          claimedOutKg: outKg,
          excessKg: six(outKg - creditKg),
          events: facts.events.length,
          unmeasuredEvents: unmeasured,
        },
        threshold: { chainOfCustody: 'mass_balance', period: 'quarter' },
        group: nameOf(broken),
        processType: broken.processType,
        orgIds: broken.orgIds,
      },
    ];
  },
};

interface Added {
  /** Since which the balance is overdrawn, to the end of what is known; null = it holds. */
  readonly broken: ClaimedEvent | null;
  readonly claimedInKg: number;
  readonly creditKg: number;
  readonly outKg: number;
  readonly unmeasured: number;
}

function added(events: readonly ClaimedEvent[]): Added {
  let [claimedInKg, creditKg, outKg, unmeasured] = [0, 0, 0, 0];
  let broken: ClaimedEvent | null = null;
  for (const event of events) {
    if (event.claimedInKg === null || event.mainOutputKg === null) {
      unmeasured++;
      continue;
    }
    claimedInKg += event.claimedInKg;
    creditKg += event.claimedInKg * event.conversion;
    outKg += event.mainOutputKg;
    if (outKg <= creditKg + NOTHING_KG) broken = null;
    else broken ??= event;
  }
  return { broken, claimedInKg: six(claimedInKg), creditKg: six(creditKg), outKg: six(outKg), unmeasured };
}

const six = (kg: number): number => Math.round(kg * 1e6) / 1e6;
