import type { ElementRule } from '../elements/data-element.js';
import type { CheckResult, Granularity } from '../issuing/issued-passport.js';

/** docs/spec/domain.md#passports: what anybody may read about a lot. Everything in here is public. */
export interface PublicPassport {
  readonly passportId: string | null;
  readonly passportStatus: PassportStatus;
  /** One more whenever something in here, apart from `integrity`, changes. */
  readonly version: number;
  readonly issuedAt: string | null;
  readonly lastUpdated: string | null;
  /** Open recalls, newest first. */
  readonly recalls: readonly PublicRecall[];
  readonly product: PublicProduct;
  readonly operator: PublicOperator | null;
  readonly origin: { readonly steps: readonly OriginStep[]; readonly complete: boolean };
  readonly footprint: PublicFootprint | null;
  readonly certificates: readonly Certificate[];
  readonly traceability: {
    readonly verifiedRatio: number | null;
    readonly chainOfCustody: string | null;
    /** Part of the lot's mass whose origin is known under its process map, 0 to 1; null where it is unknown or its chain-of-custody model makes no claim. */
    readonly claimShare: number | null;
  };
  /** Of goods that became these (docs/spec/domain.md#passport-documents). */
  readonly previousPassports: readonly LinkedPassport[];
  /** Of goods that these became. */
  readonly nextPassports: readonly LinkedPassport[];
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
  /** What the passport is about. */
  readonly granularity: Granularity;
  readonly name: string;
  readonly description: string | null;
  /** Address of a picture, `https:` or `data:image/…`. */
  readonly picture: string | null;
  readonly category: string | null;
  readonly hsCode: string | null;
  /** Unique product identifier: the text whose hash is on chain. */
  readonly key: string;
  readonly gtin: string | null;
  /** Null for an item without a lot number. */
  readonly lot: string | null;
  readonly serial: string | null;
  readonly producedOn: string | null;
  readonly bestBefore: string | null;
  readonly expired: boolean;
  /** Why and in which month the lot left the supply chain; null while it is in it. */
  readonly retired: { readonly reason: string; readonly month: string } | null;
  /** Everything else that the process map calls public of the event that made the lot. */
  readonly attributes: Readonly<Record<string, unknown>>;
}

export interface PublicOperator {
  readonly name: string;
  readonly lei: string | null;
  readonly gln: string | null;
  /** Address of a picture, as of the product. */
  readonly logo: string | null;
  readonly contact: Readonly<Record<string, string>>;
}

/** The passport of goods in an earlier or a later life. */
export interface LinkedPassport {
  /** Its `digitalProductPassportId`; of one that another service shows, the address that the event gave. */
  readonly id: string;
  /** Null: another service shows it. */
  readonly passportId: string | null;
  readonly name: string | null;
  /** Unique product identifier. */
  readonly key: string | null;
}

/** What happened where, by month; steps that read the same are one. */
export interface OriginStep {
  readonly process: string;
  readonly country: string | null;
  readonly region: string | null;
  readonly month: string | null;
  /** Part of these steps whose content is what was recorded. */
  readonly verifiedRatio: number | null;
  readonly attributes: Readonly<Record<string, readonly unknown[]>>;
}

export interface PublicFootprint {
  readonly boundary: 'cradle_to_gate';
  readonly standards: readonly string[];
  readonly indicators: Readonly<Record<string, PublicIndicator>>;
}

/** Totals only, so that nothing shows what one supplier contributed. Null is unknown. */
interface PublicIndicator {
  readonly unit: string;
  readonly perKg: number | null;
  readonly perUnit: number | null;
  readonly lowerBound: boolean;
  readonly primaryDataShare: number | null;
  /** Part of the mass whose events declared it. */
  readonly coverage: number | null;
}

export interface Certificate {
  readonly type: string;
  readonly issuer: string | null;
  readonly validTo: string | null;
  /** Valid on the day of the response; null where the certificate does not say. */
  readonly valid: boolean | null;
  /** The event that names it has the content that was recorded; the certificate itself is its issuer's. */
  readonly verified: boolean;
}

interface Integrity {
  readonly chainId: number;
  readonly contract: string;
  readonly mintTx: string;
  readonly dataHash: string;
  readonly cid: string;
  readonly lastCheck: string | null;
  readonly result: CheckResult | null;
}

/** An event as far as the public may read it: the database gives no more. */
export interface PublicEvent {
  readonly id: string;
  readonly processType: string | null;
  readonly label: string | null;
  readonly country: string | null;
  /** In its own time zone, `yyyy-mm`. */
  readonly month: string | null;
  /** By the pointers that its process map calls public. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly documents: readonly Readonly<Record<string, unknown>>[];
  /** Its content is known, and is what was prepared. */
  readonly proven: boolean;
}

export interface LotFacts {
  readonly tlc: string;
  readonly key: string;
  readonly gtin: string | null;
  readonly serial: string | null;
  readonly name: string;
  readonly category: string | null;
  readonly hsCode: string | null;
  readonly mayHavePassport: boolean;
  /** IRIs of the vocabularies that the elements of its asset type are of. */
  readonly contentSpecificationIds: readonly string[];
  /** IRIs of the classes that a product of this type is of. */
  readonly nodeTypes: readonly string[];
  readonly dataElements: readonly ElementRule[];
  readonly expiresOn: string | null;
  readonly expired: boolean;
  readonly retired: { readonly reason: string; readonly month: string } | null;
  readonly mintEventId: string;
  readonly descriptionPointer: string;
  readonly chainOfCustody: string | null;
  readonly chainId: number;
  readonly contract: string;
  readonly mintTx: string;
  readonly dataHash: string;
  readonly cid: string;
}

export interface OperatorFacts {
  readonly id: string;
  readonly name: string;
  readonly lei: string | null;
  readonly gln: string | null;
  readonly publicProfile: Readonly<Record<string, unknown>>;
}

/** Everything that the public may read of one lot and what it was made of, and nothing else. */
export interface PassportFacts {
  readonly lot: LotFacts;
  readonly recalls: readonly PublicRecall[];
  readonly operator: OperatorFacts | null;
  /** Those that made the lot and its ancestors, and what was observed of them, in the order of their time. */
  readonly events: readonly PublicEvent[];
  /** False where there are more ancestors than are read. */
  readonly complete: boolean;
  /** Passports of the goods that became this lot, and of those that it became. */
  readonly previous: readonly LinkedPassport[];
  readonly next: readonly LinkedPassport[];
}
