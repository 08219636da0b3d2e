import type { DocumentPointer } from './document-link.js';

const MOST = 50;

/**
 * The documents of an event that point anywhere.
 * @param contentCid whether a CID has the form that the content store gives out
 * @param cidOfSha256 the CID that follows from a hash
 */
export const documentsOf = (
  documents: readonly Readonly<Record<string, unknown>>[],
  contentCid: (cid: string) => boolean,
  cidOfSha256: (sha256: string) => string,
): readonly DocumentPointer[] =>
  documents.slice(0, MOST).flatMap((document): DocumentPointer[] => {
    const [cid, url, sha256] = [text(document['cid']), text(document['url']), hash(document['sha256'])];
    if (cid === null && url === null && sha256 === null) return [];
    const name = [document['type'], document['number']].filter((part) => typeof part === 'string').join(' ');
    if (cid !== null && contentCid(cid)) return [{ name, cid, derived: false, elsewhere: null, sha256 }];
    const elsewhere = cid ?? url;
    return [{ name, cid: sha256 === null ? null : cidOfSha256(sha256), derived: sha256 !== null, elsewhere, sha256 }];
  });

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
const hash = (value: unknown): string | null => (typeof value === 'string' && /^[0-9a-f]{64}$/.test(value) ? value : null);
