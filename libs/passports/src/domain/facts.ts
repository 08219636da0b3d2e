import type { CheckResult, PublicRecall } from './passport.js';

/** A passport as it was issued. */
export interface Issued {
  readonly id: string;
  readonly tokenId: bigint;
  readonly tlc: string;
  /** Of its Digital Link; null without one. */
  readonly gtin: string | null;
  readonly issuedAt: Date;
  readonly version: number;
  readonly contentHash: string | null;
  readonly updatedAt: Date;
  readonly withdrawnAt: Date | null;
  readonly withdrawnReason: string | null;
  readonly checkedAt: Date | null;
  readonly checkResult: CheckResult | null;
}

/** How a tenant shows its passports. */
export interface PassportSetting {
  readonly enabled: boolean;
  readonly showIntegrity: boolean;
  /** `https://host` that labels and links lead to; null: the address that was asked. */
  readonly resolver: string | null;
}

export const DEFAULT_SETTING: PassportSetting = { enabled: false, showIntegrity: true, resolver: null };

/** An event as far as the public may read it: the database gives no more. */
export interface PublicEvent {
  readonly id: string;
  readonly processType: string | null;
  readonly label: string | null;
  readonly country: string | null;
  /** In its own time zone, `yyyy-mm`. */
  readonly month: string | null;
  /** By the pointers that its process map calls public. */
  readonly said: Readonly<Record<string, unknown>>;
  readonly documents: readonly Readonly<Record<string, unknown>>[];
  /** Its content is known, and is what was prepared. */
  readonly proven: boolean;
}

export interface LotFacts {
  readonly tlc: string;
  readonly name: string;
  readonly category: string | null;
  readonly hsCode: string | null;
  readonly mayHavePassport: boolean;
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
  readonly name: string;
  readonly lei: string | null;
  readonly gln: string | null;
  readonly publicProfile: Readonly<Record<string, unknown>>;
}

/** Of one lot and what it was made of. */
export interface PassportFacts {
  readonly lot: LotFacts;
  readonly recalls: readonly PublicRecall[];
  readonly operator: OperatorFacts | null;
  /** Those that made the lot and its ancestors, and what was observed of them, in the order of their time. */
  readonly events: readonly PublicEvent[];
  /** False where there are more ancestors than are looked at. */
  readonly complete: boolean;
}
