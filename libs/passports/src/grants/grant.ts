import type { ContentClass } from '#envelope';
import type { DomainError } from '#kernel';
import { grantExpired, grantForAnotherPassport, grantUsed, grantWithdrawn } from '../errors.js';

/** Who reads more of a passport than everybody: each reads what those before it read, too (EN 18239, Annex XIII of (EU) 2023/1542). */
export const ACCESS_CLASSES = ['legitimate_interest', 'authority'] as const;
export type AccessClass = (typeof ACCESS_CLASSES)[number];

/** A `link` opens a passport once, a `key` until it expires. */
export const GRANT_KINDS = ['link', 'key'] as const;
export type GrantKind = (typeof GRANT_KINDS)[number];

/** What somebody outside of the tenant may read of one passport, why and until when. */
export interface Grant {
  readonly id: string;
  readonly passportId: string;
  readonly kind: GrantKind;
  readonly accessClass: AccessClass;
  /** Name of the person or organisation. */
  readonly grantee: string;
  readonly purpose: string;
  readonly createdAt: Date;
  /** User or API key. */
  readonly createdBy: string;
  readonly expiresAt: Date;
  /** How often it opened the passport, and when last. */
  readonly uses: number;
  readonly usedAt: Date | null;
  readonly withdrawnAt: Date | null;
}

/** Classes of values that a grant opens; what is `restricted` or `personal` no grant does. */
export function classesOf(accessClass: AccessClass): ReadonlySet<ContentClass> {
  return new Set<ContentClass>(['public', ...ACCESS_CLASSES.slice(0, ACCESS_CLASSES.indexOf(accessClass) + 1)]);
}

const TOKEN = /^dpg_[A-Za-z0-9_-]{43}$/;
export const isGrantToken = (text: string): boolean => TOKEN.test(text);

/** Why a grant does not open this passport now; null where it does. */
export function refusalOf(grant: Grant, passportId: string, now: Date): DomainError | null {
  if (grant.passportId !== passportId) return grantForAnotherPassport();
  if (grant.withdrawnAt !== null) return grantWithdrawn();
  if (grant.expiresAt <= now) return grantExpired(grant.expiresAt.toISOString());
  if (grant.kind === 'link' && grant.uses > 0) return grantUsed(grant.usedAt!.toISOString());
  return null;
}

/** Uses of a key within so long are one entry of the audit log: a key may be used every second. */
const AUDIT_EVERY_MS = 3_600_000;
export const isAudited = ({ kind, usedAt }: Grant, now: Date): boolean =>
  kind === 'link' || usedAt === null || now.getTime() - usedAt.getTime() >= AUDIT_EVERY_MS;
