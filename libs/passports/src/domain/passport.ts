/** §7 of the domain decisions: what anybody may read about a lot. Everything in here is public; nothing else leaves. */
export interface PublicPassport {
  readonly passportId: string | null;
  readonly passportStatus: PassportStatus;
  /** Counts what the public read: one more whenever something in here, apart from `integrity`, is another than before. */
  readonly version: number;
  readonly issuedAt: string | null;
  readonly lastUpdated: string | null;
  /** Standing recalls, newest first. */
  readonly recalls: readonly PublicRecall[];
  readonly product: PublicProduct;
  readonly operator: PublicOperator | null;
  readonly origin: { readonly steps: readonly OriginStep[]; readonly complete: boolean };
  readonly footprint: PublicFootprint | null;
  readonly certificates: readonly Certificate[];
  readonly traceability: {
    readonly verifiedRatio: number | null;
    readonly chainOfCustody: string | null;
    /** Part of the lot's mass whose origin is known under its process map, 0 to 1; null where it is unknown or the model claims none. */
    readonly claimShare: number | null;
  };
  readonly integrity: Integrity | null;
  readonly links: {
    readonly self: string;
    readonly digitalLink: string | null;
    readonly label: string | null;
    readonly bundle: string | null;
  };
}

export const PASSPORT_STATUSES = ['draft', 'active', 'recalled', 'expired', 'retired'] as const;
export type PassportStatus = (typeof PASSPORT_STATUSES)[number];

export interface PublicRecall {
  readonly recallClass: string | null;
  readonly reason: string | null;
  readonly instructions: string | null;
  readonly date: string;
}

export interface PublicProduct {
  /** Granularity of the identifier: one lot. */
  readonly granularity: 'batch';
  readonly name: string;
  readonly description: string | null;
  readonly category: string | null;
  readonly hsCode: string | null;
  readonly gtin: string | null;
  readonly lot: string;
  readonly producedOn: string | null;
  readonly bestBefore: string | null;
  readonly expired: boolean;
  /** Why and in which month the lot left the trade; null while it is there. */
  readonly retired: { readonly reason: string; readonly month: string } | null;
  /** Whatever else the process map calls public of the event that made the lot. */
  readonly attributes: Readonly<Record<string, unknown>>;
}

export interface PublicOperator {
  readonly name: string;
  readonly lei: string | null;
  readonly gln: string | null;
  readonly contact: Readonly<Record<string, string>>;
}

/** What happened where, by month; alike steps are one. */
export interface OriginStep {
  readonly process: string;
  readonly country: string | null;
  readonly region: string | null;
  readonly month: string | null;
  /** Part of these steps whose words are those that were recorded. */
  readonly verifiedRatio: number | null;
  readonly attributes: Readonly<Record<string, readonly unknown[]>>;
}

export interface PublicFootprint {
  readonly boundary: 'cradle_to_gate';
  readonly standards: readonly string[];
  readonly indicators: Readonly<Record<string, PublicIndicator>>;
}

/** Totals only: no part of it can be told from another. Null is unknown. */
export interface PublicIndicator {
  readonly unit: string;
  readonly perKg: number | null;
  readonly perUnit: number | null;
  readonly lowerBound: boolean;
  readonly primaryDataShare: number | null;
  /** Part of the mass on the way whose events declared it. */
  readonly coverage: number | null;
}

export interface Certificate {
  readonly type: string;
  readonly issuer: string | null;
  readonly validTo: string | null;
  /** Valid on the day of the answer; null where it does not say. */
  readonly valid: boolean | null;
  /** It is named by words that are those that were recorded; the certificate itself is its issuer's. */
  readonly verified: boolean;
}

export interface Integrity {
  readonly chainId: number;
  readonly contract: string;
  readonly mintTx: string;
  readonly dataHash: string;
  readonly cid: string;
  readonly lastCheck: string | null;
  readonly result: CheckResult | null;
}

export type CheckResult = 'ok' | 'mismatch' | 'unreachable';
