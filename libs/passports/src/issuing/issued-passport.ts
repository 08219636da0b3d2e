import { digitalLinkOf, digitalLinkPath } from '#kernel';

/** `ok`: bytes, hash and chain agree. */
export type CheckResult = 'ok' | 'mismatch' | 'unreachable';

/** What one passport is about: all of a product, a lot of it, or one item. */
export type Granularity = 'model' | 'batch' | 'item';

/** A passport as it was issued. It stays, withdrawn or not: its code is printed on goods. */
export interface IssuedPassport {
  readonly id: string;
  readonly tokenId: bigint;
  readonly tlc: string;
  readonly key: string;
  readonly gtin: string | null;
  readonly serial: string | null;
  readonly granularity: Granularity;
  /** Path of its Digital Link, `/01/…`; null without one, or where it is that of another lot of the tenant. */
  readonly link: string | null;
  readonly issuedAt: Date;
  readonly version: number;
  readonly contentHash: string | null;
  readonly updatedAt: Date;
  readonly withdrawnAt: Date | null;
  readonly withdrawnReason: string | null;
  readonly checkedAt: Date | null;
  readonly checkResult: CheckResult | null;
}

/** A lot as far as issuing asks about it. */
export interface Issuable {
  readonly tokenId: bigint;
  readonly contract: string;
  readonly tlc: string;
  readonly key: string;
  readonly gtin: string | null;
  readonly serial: string | null;
  readonly granularity: Granularity;
  /** Its content is known, its asset type has `passport: true`, and it has the numbers that the granularity of the type asks for. */
  readonly mayHavePassport: boolean;
  /** Block of the event that made it; null where that event is not known. */
  readonly mintBlock: number | null;
}

/** The path of its Digital Link, which leads to the passport of its lot or item; null for a code of the tenant's own, or a container. */
export function linkPathOf(key: string): string | null {
  const link = digitalLinkOf(key);
  const path = link === null ? null : digitalLinkPath(link);
  return path?.startsWith('/01/') ? path : null;
}

/** The path of the Digital Link of a passport; one of a model is of its GTIN alone. */
export const passportLink = ({ granularity, key, gtin }: Pick<IssuedPassport, 'granularity' | 'key' | 'gtin'>): string | null =>
  granularity === 'model' ? (gtin === null ? null : `/01/${gtin}`) : linkPathOf(key);

/** What a Digital Link has behind its path where several tenants show a passport at it (docs/spec/domain.md#passports). */
export const choiceOf = (tenantSlug: string): string => `?tenant=${tenantSlug}`;
