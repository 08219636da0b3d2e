import { type Finding, type Rule, lotSubject, mapOf, newestMap } from './rule.js';
import { be, countedOf, day, duration, have, listed, percent, secondsBetween } from './wording.js';

/** What rules about lots use. Quantities in `uom`. */
export interface LotFacts {
  readonly tokenId: bigint;
  readonly tlc: string;
  readonly assetType: string | null;
  readonly assetTypeName: string | null;
  readonly mapName: string | null;
  readonly mapVersion: string | null;
  readonly status: string;
  readonly uom: string | null;
  readonly quantity: number | null;
  readonly remaining: number | null;
  readonly usedUp: boolean;
  readonly isContainer: boolean;
  readonly expiresAt: Date | null;
  readonly retiredAt: Date | null;
  readonly recalledAt: Date | null;
  readonly recallAffected: boolean;
  /** The most serious class of the recalls that affect the lot; null = none or unknown. */
  readonly recallClass: string | null;
  /** Sum of what events drew from the lot. */
  readonly used: number;
  readonly custodian: string;
  readonly custodianLabel: string;
  readonly orgIds: readonly string[];
}

/** In stock (docs/spec/domain.md#reports): not retired, not used up. Recalled and held lots are in stock. */
const isLive = (lot: Pick<LotFacts, 'retiredAt' | 'usedUp'>): boolean => lot.retiredAt === null && !lot.usedUp;

const aboutLot = (lot: LotFacts, finding: Pick<Finding, 'type' | 'severity' | 'title' | 'detail' | 'evidence' | 'threshold'>): Finding => ({
  ...finding,
  subject: lotSubject(lot),
  key: '',
  group: lot.assetTypeName ?? '',
  orgIds: lot.orgIds,
});

/** A finished good past its date is critical: somebody may eat or wear it. */
export const lotExpired: Rule<LotFacts> = {
  type: 'LOT_EXPIRED',
  recommendation: 'Take the lot out of stock: retire it with a reason, or correct the event that stated its date.',
  reference: 'Reg. (EU) 178/2002 Art. 14',
  headline: (count, group) => `${countedOf(count, 'lot', group)} ${be(count)} past best-before and still in stock`,
  judge(lot, context) {
    if (!isLive(lot) || lot.isContainer || lot.expiresAt === null || lot.expiresAt > context.now) return [];
    const finished = mapOf(context, lot)?.assetTypes.get(lot.assetType ?? '')?.category === 'finished_good';
    return [
      aboutLot(lot, {
        type: 'LOT_EXPIRED',
        severity: finished ? 'critical' : 'high',
        title: `${lot.tlc} is past its date`,
        detail: `${lot.tlc} expired on ${day(lot.expiresAt)}, ${duration(secondsBetween(lot.expiresAt, context.now))} ago. Custodian: ${lot.custodianLabel}.`,
        evidence: {
          expiresAt: lot.expiresAt.toISOString(),
          status: lot.status,
          remaining: lot.remaining,
          uom: lot.uom,
          custodian: lot.custodian,
        },
        threshold: { expiresAt: lot.expiresAt.toISOString() },
      }),
    ];
  },
};

export const lotExpiring: Rule<LotFacts> = {
  type: 'LOT_EXPIRING',
  recommendation: 'Use or sell this lot first.',
  reference: null,
  headline: (count, group) => `${countedOf(count, 'lot', group)} ${be(count)} about to expire`,
  judge(lot, context) {
    if (!isLive(lot) || lot.isContainer || lot.expiresAt === null || lot.expiresAt <= context.now) return [];
    const within = newestMap(context, lot.mapName)?.expiringSoonWithinSeconds ?? context.thresholds.expiringSoonWithinSeconds;
    const left = secondsBetween(context.now, lot.expiresAt);
    if (left > within) return [];
    return [
      aboutLot(lot, {
        type: 'LOT_EXPIRING',
        severity: 'low',
        title: `${lot.tlc} expires on ${day(lot.expiresAt)}`,
        detail: `${lot.tlc} expires in ${duration(left)}. Custodian: ${lot.custodianLabel}.`,
        evidence: { expiresAt: lot.expiresAt.toISOString(), remaining: lot.remaining, uom: lot.uom, custodian: lot.custodian },
        threshold: { expiringSoonWithinSeconds: within },
      }),
    ];
  },
};

export const recalledInStock: Rule<LotFacts> = {
  type: 'RECALLED_IN_STOCK',
  recommendation: 'Return the lot to the company that recalled it, or destroy and retire it.',
  reference: '21 CFR 7.49',
  headline: (count, group) => `${countedOf(count, 'recalled lot', group)} ${be(count)} still in stock`,
  judge(lot) {
    if (lot.recalledAt === null || !isLive(lot)) return [];
    const left = lot.remaining === null ? '' : ` Still in stock: ${lot.remaining} ${lot.uom}.`;
    return [
      aboutLot(lot, {
        type: 'RECALLED_IN_STOCK',
        severity: 'critical',
        title: `${lot.tlc} is recalled and still in stock`,
        detail: `${lot.tlc} was recalled on ${day(lot.recalledAt)}.${left} Custodian: ${lot.custodianLabel}.`,
        evidence: { recalledAt: lot.recalledAt.toISOString(), remaining: lot.remaining, uom: lot.uom, custodian: lot.custodian },
        threshold: { remaining: 0 },
      }),
    ];
  },
};

/** Made from a recalled lot, or packed with it. A recalled lot has its own alert. */
export const recallAffectedLive: Rule<LotFacts> = {
  type: 'RECALL_AFFECTED_LIVE',
  recommendation: 'Put the lot on hold until it is clear whether the recall covers it, then recall or release it.',
  reference: '21 CFR 7.49',
  headline: (count, group) => `${countedOf(count, 'lot', group)} in stock ${be(count)} affected by a recall`,
  judge(lot) {
    if (!lot.recallAffected || lot.recalledAt !== null || !isLive(lot)) return [];
    return [
      aboutLot(lot, {
        type: 'RECALL_AFFECTED_LIVE',
        severity: lot.recallClass === 'I' ? 'critical' : 'high',
        title: `${lot.tlc} is affected by a recall`,
        detail: `${lot.tlc} was made from, or is packed in, something that was recalled${lot.recallClass ? ` (class ${lot.recallClass})` : ''}. Custodian: ${lot.custodianLabel}.`,
        evidence: { recallClass: lot.recallClass, status: lot.status, remaining: lot.remaining, uom: lot.uom, custodian: lot.custodian },
        threshold: { criticalClass: 'I' },
      }),
    ];
  },
};

/** The contract never lets a lot be overdrawn, so this means that the database differs from the chain. */
export const overConsumption: Rule<LotFacts> = {
  type: 'OVER_CONSUMPTION',
  recommendation: 'Check the events that used the lot; reindex the tenant if the record differs from the chain.',
  reference: 'ISO 22095',
  headline: (count, group) => `More of ${countedOf(count, 'lot', group)} ${have(count)} been used than was available`,
  judge(lot, { thresholds }) {
    if (lot.quantity === null || lot.isContainer) return [];
    if (lot.used <= lot.quantity * (1 + thresholds.overConsumptionShare)) return [];
    return [
      aboutLot(lot, {
        type: 'OVER_CONSUMPTION',
        severity: 'critical',
        title: `More of ${lot.tlc} was used than was available`,
        detail: `Events used ${lot.used} ${lot.uom} of ${lot.tlc}; its quantity was ${lot.quantity} ${lot.uom}.`,
        evidence: { used: lot.used, quantity: lot.quantity, uom: lot.uom },
        threshold: { overConsumptionShare: thresholds.overConsumptionShare },
      }),
    ];
  },
};

/** Share of a finished lot's mass with a declared footprint, by indicator; null = nothing to declare. */
export interface FootprintFacts {
  readonly tokenId: bigint;
  readonly tlc: string;
  readonly assetTypeName: string | null;
  readonly massCoverage: Readonly<Record<string, number | null>>;
  readonly orgIds: readonly string[];
}

export const footprintGap: Rule<FootprintFacts> = {
  type: 'FOOTPRINT_GAP',
  recommendation: 'Ask the suppliers whose figures the footprint of the lot lacks.',
  reference: 'ISO 14067',
  headline: (count, group) => `${countedOf(count, 'finished lot', group)} ${have(count)} an incomplete footprint`,
  judge(lot, { thresholds }) {
    const low = Object.entries(lot.massCoverage)
      .filter((entry): entry is [string, number] => entry[1] !== null && entry[1] < thresholds.footprintCoverage)
      .toSorted(([a], [b]) => (a < b ? -1 : 1));
    if (low.length === 0) return [];
    return [
      {
        type: 'FOOTPRINT_GAP',
        severity: 'low',
        subject: lotSubject(lot),
        key: '',
        title: `The footprint of ${lot.tlc} is incomplete`,
        detail: `Declared for ${listed(low.map(([indicator, share]) => `${percent(share)} of the mass (${indicator})`))}; the limit is ${percent(thresholds.footprintCoverage)}.`,
        evidence: { massCoverage: lot.massCoverage },
        threshold: { footprintCoverage: thresholds.footprintCoverage },
        group: lot.assetTypeName ?? '',
        orgIds: lot.orgIds,
      },
    ];
  },
};
