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
