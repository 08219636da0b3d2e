import type { AlertType, Rule } from './rule.js';
import { claimBalance, claimBreach } from './claim.rules.js';
import { chainDrift, cidMismatch, cidUnresolved, contentExposed, documentExpired, documentMissing } from './evidence.rules.js';
import { eventLate, eventOrder, kdeMissing, policyBreach } from './event.rules.js';
import { footprintGap, lotExpired, lotExpiring, overConsumption, recallAffectedLive, recalledInStock } from './lot.rules.js';
import { geoQuality } from './plot.rules.js';
import { custodyPending, eventUnsubmitted, txFailed, txStuck, webhookFailing } from './operations.rules.js';
import { foreignSignature } from './signature.rules.js';
import { massBalance, yieldRange, yieldScore } from './yield.rules.js';

/** Every rule, by the facts it needs. A rule that is not listed here does not run. */
export const RULES = {
  lot: [lotExpired, lotExpiring, recalledInStock, recallAffectedLive, overConsumption],
  event: [
    massBalance,
    yieldRange,
    kdeMissing,
    eventLate,
    eventOrder,
    documentMissing,
    contentExposed,
    geoQuality,
    claimBreach,
    policyBreach,
  ],
  yields: [yieldScore],
  claims: [claimBalance],
  offer: [custodyPending],
  transaction: [txStuck, txFailed],
  prepared: [eventUnsubmitted],
  document: [documentExpired],
  pointer: [cidUnresolved, cidMismatch, chainDrift],
  footprint: [footprintGap],
  subscription: [webhookFailing],
  signature: [foreignSignature],
} as const;

/** Rules with the same name use the same facts. Stored with each alert. */
export type SourceName = keyof typeof RULES;

/** What is said about every alert of a type. */
type RuleTexts = Pick<Rule<never>, 'type' | 'recommendation' | 'reference' | 'headline'>;

const TEXTS = new Map<AlertType, RuleTexts>(
  Object.values(RULES)
    .flat()
    .map((rule) => [rule.type, rule as RuleTexts]),
);

export const textsOf = (type: AlertType): RuleTexts => TEXTS.get(type)!;
