import { plainGs1, readOwnDocumentUri } from '#kernel';

/** More uses of a document, or more missing documents, are counted, but not listed. */
export const MAX_USES = 100;
export const MAX_MISSING = 1000;
export const EXPIRING_WITHIN_DAYS = 30;

export const STATUSES = ['valid', 'expiring', 'expired', 'undated'];
export const VERIFICATIONS = ['verified', 'mismatch', 'unresolved', 'not_checked'];

interface DocumentFile {
  readonly cid: string | null;
  readonly url: string | null;
  readonly sha256: string | null;
  readonly usedBy: readonly { readonly eventId: string }[];
}

/**
 * The worst result: a file that differs from what one event states is not the document.
 * @param checks status of the last check, by `<event id> <value>`
 */
export function verificationOf({ cid, url, sha256, usedBy }: DocumentFile, checks: ReadonlyMap<string, string>): string {
  const found = usedBy.flatMap(({ eventId }) => [cid, url, sha256].map((value) => checks.get(`${eventId} ${value}`)));
  return ['mismatch', 'unresolved'].find((status) => found.includes(status)) ?? (found.includes('ok') ? 'verified' : 'not_checked');
}

/** What the name of a document in exports says of it; null: it does not say. */
export interface DocumentName {
  /** Slug. */
  readonly tenant: string | null;
  readonly type: string | null;
  readonly number: string;
  readonly issuer: string | null;
}

/** A `bizTransaction` as EPCIS exports write it: a name of this service, or of the issuer (CBV 2.0 §8.5). Null for another text. */
export function readDocumentName(name: string): DocumentName | null {
  const own = readOwnDocumentUri(name);
  if (own) return { ...own, issuer: null };
  const [, issuer, number] = /^urn:epcglobal:cbv:bt:(\d{13}):(.+)$/.exec(name) ?? [];
  return issuer === undefined ? null : { tenant: null, type: null, number: plainGs1(number!), issuer };
}
