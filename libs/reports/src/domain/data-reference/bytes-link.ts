import type { Verdict } from './pointer.js';

/** What the store had for a CID. A store that does not answer is no verdict: nothing is written then. */
export type Stored =
  | { readonly found: 'bytes'; readonly size: number; readonly cid: string; readonly sha256: string }
  | { readonly found: 'corrupt' | 'missing' };

/** Resolves when bytes were read, matches when the CID recomputed from them is equal. */
export function bytesLink(cid: string, stored: Stored): Verdict {
  switch (stored.found) {
    case 'missing':
      return { resolved: false, matches: null, detail: `The content store has no bytes of ${cid}.` };
    case 'corrupt':
      return { resolved: true, matches: false, detail: `The stored bytes do not hash to ${cid}.` };
    case 'bytes':
  }
  return stored.cid === cid
    ? { resolved: true, matches: true, detail: `${stored.size} bytes hash to ${cid}.` }
    : { resolved: true, matches: false, detail: `The stored bytes hash to ${stored.cid}, not to ${cid}.` };
}
