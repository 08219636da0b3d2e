import type { Stored } from './bytes-link.js';
import { bytesLink } from './bytes-link.js';
import type { Verdict } from './pointer.js';

/** A document of an event, as far as it points anywhere. */
export interface DocumentPointer {
  /** "TEST_REPORT LAB-9931". */
  readonly name: string;
  /** CIDv1 of this service's stores, given or following from `sha256`; null where there is neither. */
  readonly cid: string | null;
  /** Whether the CID was only derived from the hash: bytes that are not here may be elsewhere. */
  readonly derived: boolean;
  /** A CID of another form, or an address. */
  readonly elsewhere: string | null;
  readonly sha256: string | null;
}

/** Resolves when bytes were read, matches when they hash to what the event says. Addresses are not fetched (SSRF). */
export function documentLink(document: DocumentPointer, stored: Stored | null): Verdict {
  if (document.cid === null || stored === null)
    return {
      resolved: null,
      matches: null,
      detail: `${document.name} lies at ${document.elsewhere ?? 'no place of this service'}, which is not fetched.`,
    };
  if (stored.found === 'missing' && document.derived)
    return {
      resolved: null,
      matches: null,
      detail: `${document.name} is known by its hash alone, and the content store has no such bytes.`,
    };
  const verdict = bytesLink(document.cid, stored);
  const detail = `${document.name}: ${verdict.detail}`;
  if (stored.found !== 'bytes' || document.sha256 === null || stored.sha256 === document.sha256) return { ...verdict, detail };
  return {
    resolved: true,
    matches: false,
    detail: `${document.name}: the bytes of its CID have the sha256 ${stored.sha256}, and the event says ${document.sha256}.`,
  };
}
