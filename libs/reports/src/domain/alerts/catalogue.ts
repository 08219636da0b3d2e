import type { AlertType } from './alert.js';
import { chainDrift } from './chain-drift.js';
import { cidMismatch } from './cid-mismatch.js';
import { cidUnresolved } from './cid-unresolved.js';
import { claimBalance } from './claim-balance.js';
import { claimBreach } from './claim-breach.js';
import { custodyPending } from './custody-pending.js';
import { documentExpired } from './document-expired.js';
import { documentMissing } from './document-missing.js';
import { eventLate } from './event-late.js';
import { eventOrder } from './event-order.js';
import { eventUnsubmitted } from './event-unsubmitted.js';
import { footprintGap } from './footprint-gap.js';
import { geoQuality } from './geo-quality.js';
import { kdeMissing } from './kde-missing.js';
import { lotExpired } from './lot-expired.js';
import { lotExpiring } from './lot-expiring.js';
import { massBalance } from './mass-balance.js';
import { overConsumption } from './over-consumption.js';
import { policyBreach } from './policy-breach.js';
import { recallAffectedLive } from './recall-affected-live.js';
import { recalledInStock } from './recalled-in-stock.js';
import type { Rule } from './rule.js';
import { txFailed } from './tx-failed.js';
import { txStuck } from './tx-stuck.js';
import { webhookFailing } from './webhook-failing.js';
import { yieldRange, yieldScore } from './yield-outlier.js';

/** Every rule, by what it looks at. To add one, write its file and name it here. */
export const RULES = {
  lot: [lotExpired, lotExpiring, recalledInStock, recallAffectedLive, overConsumption],
  event: [massBalance, yieldRange, kdeMissing, eventLate, eventOrder, documentMissing, geoQuality, claimBreach, policyBreach],
  yields: [yieldScore],
  claims: [claimBalance],
  offer: [custodyPending],
  transaction: [txStuck, txFailed],
  prepared: [eventUnsubmitted],
  document: [documentExpired],
  pointer: [cidUnresolved, cidMismatch, chainDrift],
  footprint: [footprintGap],
  subscription: [webhookFailing],
} as const;

export type RuleWords = Pick<Rule<never>, 'type' | 'recommendation' | 'reference' | 'headline'>;

const WORDS = new Map<AlertType, RuleWords>(
  Object.values(RULES)
    .flat()
    .map((rule) => [rule.type, rule as RuleWords]),
);

/** What is said of every alert of a type. */
export const wordsOf = (type: AlertType): RuleWords => WORDS.get(type)!;
