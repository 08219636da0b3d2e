import { type Finding, type Rule, eventSubject, newestMap } from './rule.js';
import { type EventFacts, type InputFacts, aboutEvent, eventName, eventsOf, processNameOf } from './event.rules.js';
import { counted, day, kilograms, listed, percent } from './wording.js';

/** The events of one map at one site in one quarter that used inputs, by time. Masses in kilograms. */
export interface ClaimBalanceFacts {
  /** Identifies this balance. */
  readonly key: string;
  readonly mapName: string;
  readonly site: string;
  readonly siteKey: string;
  /** The quarter in UTC; `to` is excluded. */
  readonly from: Date;
  readonly to: Date;
  readonly events: readonly BalanceEntry[];
  /** Events that have an open alert about this balance. */
  readonly alertedEvents: readonly string[];
}

export interface BalanceEntry {
  readonly id: string;
  readonly outputTlc: string | null;
  readonly processType: string | null;
  readonly processLabel: string | null;
  readonly orgIds: readonly string[];
  /** The part of the input that was made under the same map. Null if a mass is unknown. */
  readonly claimedInKg: number | null;
  readonly mainOutputKg: number | null;
  /** The largest share of the input that can become the main product: the greatest yield that the map expects, else 1. */
  readonly conversion: number;
}

const CLAIM_BREACH = {
  type: 'CLAIM_BREACH',
  recommendation:
    'Separate the goods, or bring in as much under the claim as leaves under it, or publish a map whose chain-of-custody model they meet.',
  reference: 'ISO 22095',
  headline: (count: number, group: string): string =>
    `${eventsOf(count, group)} ${count === 1 ? 'breaks' : 'break'} the chain-of-custody claim`,
} as const;

/**
 * The chain-of-custody model that the map claims (docs/spec/domain.md#footprint, ISO 22095). Goods of known origin are those of the same
 * map with a known creation. Other goods break a segregated claim at the event that mixed them in, and only there.
 * `controlled_blending` reports its share and breaks nothing; `book_and_claim` and `none` have no bearing on the graph; `mass_balance`
 * is judged by site and period (`claimBalance`).
 */
export const claimBreach: Rule<EventFacts> = {
  ...CLAIM_BREACH,
  judge(event, context) {
    const model = newestMap(context, event.mapName)?.chainOfCustody;
    if (model === undefined || event.outputs === 0) return [];
    return [
      ...(model === 'segregated' || model === 'identity_preserved' ? mixedGoods(event, model) : []),
      ...(model === 'identity_preserved' ? mixedSites(event) : []),
    ];
  },
};

function mixedGoods(event: EventFacts, model: string): Finding[] {
  const unknown = event.inputs.filter((input) => !isKnown(event, input));
  if (unknown.length === 0) return [];
  const share = knownShare(event);
  const more = unknown.length > 5 ? ` and ${unknown.length - 5} more` : '';
  return [
    aboutEvent('CLAIM_BREACH', 'high', event, {
      key: 'mixed',
      title: `${eventName(event)} mixes in goods of unknown origin`,
      detail: `The map claims ${model.replace('_', ' ')}. Inputs from outside the map: ${listed(unknown.slice(0, 5).map(({ tlc }) => tlc))}${more}.${share === null ? '' : ` ${percent(share)} of the input are of known origin.`}`,
      evidence: { claimShare: share, unknown: unknown.map(({ tokenId, tlc }) => ({ tokenId: Number(tokenId), tlc })) },
      threshold: { chainOfCustody: model, claimShare: 1 },
    }),
  ];
}

function mixedSites(event: EventFacts): Finding[] {
  if (event.origins === null || event.origins.length < 2) return [];
  return [
    aboutEvent('CLAIM_BREACH', 'high', event, {
      key: 'origins',
      title: `${eventName(event)} mixes goods of several sites`,
      detail: `The map claims identity preserved. The goods come from ${listed(event.origins)}.`,
      evidence: { origins: event.origins },
      threshold: { chainOfCustody: 'identity_preserved', origins: 1 },
    }),
  ];
}

const isKnown = (event: EventFacts, input: InputFacts): boolean => input.resolved && input.mapName === event.mapName;

/** Share of the input mass that is of known origin, six decimals; null if a mass is unknown. */
function knownShare(event: EventFacts): number | null {
  if (event.inputs.some(({ usedKg }) => usedKg === null)) return null;
  const mass = (inputs: readonly InputFacts[]): number => inputs.reduce((sum, { usedKg }) => sum + usedKg!, 0);
  const all = mass(event.inputs);
  return all === 0 ? null : six(mass(event.inputs.filter((input) => isKnown(event, input))) / all);
}

/** A milligram: masses are sums of decimals. */
const NOTHING_KG = 1e-6;

/**
 * Mass balance (docs/spec/domain.md#footprint, ISO 22095-2): per site, period and claim, the main product that leaves under the claim is at
 * most the input under the claim times the conversion factor. The claim is the map, the period is a quarter, and the alert is about the
 * event from which on more has left than came in. Co-products are covered by the mass balance of their event.
 */
export const claimBalance: Rule<ClaimBalanceFacts> = {
  ...CLAIM_BREACH,
  judge(facts, context) {
    if (newestMap(context, facts.mapName)?.chainOfCustody !== 'mass_balance') return [];
    const balance = balanceOf(facts.events);
    return balance.overdrawnAt === null ? [] : [overdrawn(facts, balance, balance.overdrawnAt)];
  },
};

function overdrawn(facts: ClaimBalanceFacts, { claimedInKg, creditKg, outKg, unmeasured }: Balance, event: BalanceEntry): Finding {
  const period = `${day(facts.from)} to ${day(new Date(facts.to.getTime() - 1))}`;
  const left = unmeasured > 0 ? ` Not counted: ${counted(unmeasured, 'event')} of unknown mass.` : '';
  return {
    type: 'CLAIM_BREACH',
    severity: 'high',
    subject: eventSubject(event),
    key: facts.key,
    title: `More left ${facts.site} under the claim of ${facts.mapName} than came in, since ${eventName(event)}`,
    detail:
      `From ${period}: ${kilograms(outKg)} of main products left. ${kilograms(claimedInKg)} came in under the claim and allow ${kilograms(creditKg)}: ${kilograms(outKg - creditKg)} too much.` +
      left,
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
    group: processNameOf(event),
    processType: event.processType,
    orgIds: event.orgIds,
  };
}

interface Balance {
  /** The event since which the balance is overdrawn, up to the end of the period; null = it is not. */
  readonly overdrawnAt: BalanceEntry | null;
  readonly claimedInKg: number;
  readonly creditKg: number;
  readonly outKg: number;
  readonly unmeasured: number;
}

function balanceOf(events: readonly BalanceEntry[]): Balance {
  let [claimedInKg, creditKg, outKg, unmeasured] = [0, 0, 0, 0];
  let overdrawnAt: BalanceEntry | null = null;
  for (const event of events) {
    if (event.claimedInKg === null || event.mainOutputKg === null) {
      unmeasured++;
      continue;
    }
    claimedInKg += event.claimedInKg;
    creditKg += event.claimedInKg * event.conversion;
    outKg += event.mainOutputKg;
    if (outKg <= creditKg + NOTHING_KG) overdrawnAt = null;
    else overdrawnAt ??= event;
  }
  return { overdrawnAt, claimedInKg: six(claimedInKg), creditKg: six(creditKg), outKg: six(outKg), unmeasured };
}

const six = (value: number): number => Math.round(value * 1e6) / 1e6;
