import type { PointerSubject, Verdict } from './pointer.js';

/** A confirmed event and what its record points to. */
export interface PointingEvent {
  readonly id: string;
  readonly subject: PointerSubject;
  readonly chainEventId: string;
  readonly contract: string;
  readonly ipfsCid: string | null;
  readonly recorded: RecordedEvent;
  readonly kind: string | null;
  readonly metadata: unknown;
  readonly documents: readonly Readonly<Record<string, unknown>>[];
}

export interface PointingToken {
  readonly subject: PointerSubject;
  readonly contract: string;
  readonly recorded: RecordedToken;
}

/** What the record of an event states about the chain. */
interface RecordedEvent {
  readonly txHash: string;
  readonly blockNumber: number;
  readonly blockHash: string;
  readonly logIndex: number;
  readonly dataHash: string;
}

/** The receipt of a transaction. */
export interface ChainReceipt {
  readonly succeeded: boolean;
  readonly blockNumber: number;
  readonly blockHash: string;
  /** The log of the event; null if the transaction has none. */
  readonly log: { readonly logIndex: number; readonly dataHash: string } | null;
}

/** Resolves if there is a receipt, matches if it succeeded in the recorded block with the log of the event at its index. */
export function transactionVerdict(event: RecordedEvent, receipt: ChainReceipt | null): Verdict {
  if (receipt === null) return { resolved: false, matches: null, detail: `The chain has no transaction ${event.txHash}.` };
  const wrong = [
    ...(receipt.succeeded ? [] : ['it reverted']),
    ...(receipt.blockNumber === event.blockNumber && receipt.blockHash === event.blockHash
      ? []
      : [`it is in block ${receipt.blockNumber} ${receipt.blockHash}, the record states ${event.blockNumber} ${event.blockHash}`]),
    ...(receipt.log === null
      ? ['it has no log of this event']
      : receipt.log.logIndex === event.logIndex
        ? []
        : [`the event's log is number ${receipt.log.logIndex}, the record states ${event.logIndex}`]),
  ];
  return wrong.length === 0
    ? { resolved: true, matches: true, detail: `Transaction ${event.txHash} is in block ${event.blockNumber} with the event's log.` }
    : { resolved: true, matches: false, detail: `Transaction ${event.txHash}: ${wrong.join('; ')}.` };
}

/**
 * Resolves if the event is on chain, matches if its data hash there is that of the content. Without valid content it is compared with the
 * record: the CID pointer reports missing or changed content.
 * @param contentHash `0x` and the sha2-256 of the stored content
 */
export function dataHashVerdict(event: RecordedEvent, receipt: ChainReceipt | null, contentHash: string | null): Verdict {
  const onChain = receipt?.log?.dataHash ?? null;
  if (onChain === null) return { resolved: false, matches: null, detail: `The chain has no event with the data hash ${event.dataHash}.` };
  if (onChain !== event.dataHash)
    return { resolved: true, matches: false, detail: `The chain has the data hash ${onChain}, the record ${event.dataHash}.` };
  if (contentHash === null)
    return {
      resolved: true,
      matches: true,
      detail: `The chain and the record have the data hash ${onChain}; the content was not available.`,
    };
  return contentHash === onChain
    ? { resolved: true, matches: true, detail: `The content has the data hash of the chain, ${onChain}.` }
    : { resolved: true, matches: false, detail: `The chain has the data hash ${onChain}, the content ${contentHash}.` };
}

/** The projected lot. Quantities in millionths of its unit. */
export interface RecordedToken {
  readonly tokenId: bigint;
  readonly tlc: string;
  /** Of its key. */
  readonly tlcHash: string;
  /** Of a part: the lot that it was split from at first, which has the code in the contract. */
  readonly whole?: bigint | null;
  readonly custodian: string;
  readonly retired: boolean;
  /** Voiding frees the code for another lot. */
  readonly voided: boolean;
  readonly recalled: boolean;
  readonly usedUp: boolean;
  readonly inTransit: boolean;
  readonly contained: boolean;
  /** Null for an unmeasured lot. */
  readonly remaining: bigint | null;
}

/** The lot in the contract as of the projected block. */
export interface ChainToken {
  readonly custodian: string;
  readonly status: 'active' | 'in_transit' | 'aggregated' | 'consumed' | 'recalled' | 'retired';
  readonly recalled: boolean;
  readonly remaining: bigint;
  readonly uncounted: boolean;
  /** Token with the code of the record; 0 = none. */
  readonly tokenOfTlc: bigint;
}

/** Resolves if the token exists, matches if custodian, status, quantity and code equal the record. */
export function tokenVerdict(lot: RecordedToken, chain: ChainToken | null): Verdict {
  if (chain === null) return { resolved: false, matches: null, detail: `The contract has no token ${lot.tokenId}.` };
  const wrong = [
    ...difference('the custodian', chain.custodian, lot.custodian),
    ...difference('the status', chain.status, statusOf(lot)),
    // The remaining quantity of a retired lot has no meaning.
    ...(lot.retired || lot.remaining === null || chain.uncounted
      ? []
      : difference('the remaining millionths', chain.remaining, lot.remaining)),
    ...(lot.voided || chain.tokenOfTlc === (lot.whole ?? lot.tokenId)
      ? []
      : [`the code ${lot.tlc} belongs to ${chain.tokenOfTlc === 0n ? 'no token' : `token ${chain.tokenOfTlc}`}`]),
  ];
  return wrong.length === 0
    ? { resolved: true, matches: true, detail: `Token ${lot.tokenId} is on chain as recorded.` }
    : { resolved: true, matches: false, detail: `Token ${lot.tokenId} (${lot.tlc}): ${wrong.join('; ')}.` };
}

/** In the order of the contract: a lot in a container in transit has the status aggregated. */
function statusOf(lot: RecordedToken): ChainToken['status'] {
  if (lot.retired) return 'retired';
  if (lot.recalled) return 'recalled';
  if (lot.usedUp) return 'consumed';
  if (lot.contained) return 'aggregated';
  return lot.inTransit ? 'in_transit' : 'active';
}

const difference = (what: string, chain: string | bigint, record: string | bigint): string[] =>
  chain === record ? [] : [`${what} is ${chain} on chain and ${record} in the record`];

/** What the content store has for a CID. Without an answer of the store there is no verdict. */
export type StoredContent =
  | { readonly found: 'bytes'; readonly size: number; readonly cid: string; readonly sha256: string }
  | { readonly found: 'corrupt' | 'missing' };

/** Resolves if the content was read, matches if it has the CID. */
export function contentVerdict(cid: string, stored: StoredContent): Verdict {
  switch (stored.found) {
    case 'missing':
      return { resolved: false, matches: null, detail: `The content store has no content for ${cid}.` };
    case 'corrupt':
      return { resolved: true, matches: false, detail: `The stored content does not have the CID ${cid}.` };
    case 'bytes':
  }
  return stored.cid === cid
    ? { resolved: true, matches: true, detail: `The stored ${stored.size} bytes have the CID ${cid}.` }
    : { resolved: true, matches: false, detail: `The stored content has the CID ${stored.cid}, not ${cid}.` };
}

/** A document of an event that points somewhere. */
export interface DocumentPointer {
  /** "TEST_REPORT LAB-9931". */
  readonly name: string;
  /** CIDv1 of this service's stores, stated or derived from `sha256`; null without both. */
  readonly cid: string | null;
  /** Whether the CID is derived from the hash: the content may be stored elsewhere. */
  readonly derived: boolean;
  /** A CID in another format, or an address. */
  readonly elsewhere: string | null;
  readonly sha256: string | null;
}

/** Resolves if the content was read, matches if it has the stated hash. Addresses are not fetched (SSRF). */
export function documentVerdict(document: DocumentPointer, stored: StoredContent | null): Verdict {
  if (document.cid === null || stored === null)
    return {
      resolved: null,
      matches: null,
      detail: `${document.name} is at ${document.elsewhere ?? 'an unknown address'}, which is not fetched.`,
    };
  if (stored.found === 'missing' && document.derived)
    return {
      resolved: null,
      matches: null,
      detail: `${document.name} is only known by its hash, and the content store has no content with it.`,
    };
  const verdict = contentVerdict(document.cid, stored);
  const detail = `${document.name}: ${verdict.detail}`;
  if (stored.found !== 'bytes' || document.sha256 === null || stored.sha256 === document.sha256) return { ...verdict, detail };
  return {
    resolved: true,
    matches: false,
    detail: `${document.name}: the content of its CID has the sha256 ${stored.sha256}, the event states ${document.sha256}.`,
  };
}

const MAX_DOCUMENTS = 50;

/**
 * The documents of an event that point somewhere.
 * @param isContentCid whether a CID has the format of the content store
 * @param cidOfSha256 the CID of the content with this hash
 */
export const documentPointers = (
  documents: readonly Readonly<Record<string, unknown>>[],
  isContentCid: (cid: string) => boolean,
  cidOfSha256: (sha256: string) => string,
): readonly DocumentPointer[] =>
  documents.slice(0, MAX_DOCUMENTS).flatMap((document): DocumentPointer[] => {
    const [cid, url, sha256] = [text(document['cid']), text(document['url']), hash(document['sha256'])];
    if (cid === null && url === null && sha256 === null) return [];
    const name = [document['type'], document['number']].filter((part) => typeof part === 'string').join(' ');
    if (cid !== null && isContentCid(cid)) return [{ name, cid, derived: false, elsewhere: null, sha256 }];
    const elsewhere = cid ?? url;
    return [{ name, cid: sha256 === null ? null : cidOfSha256(sha256), derived: sha256 !== null, elsewhere, sha256 }];
  });

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
const hash = (value: unknown): string | null => (typeof value === 'string' && /^[0-9a-f]{64}$/.test(value) ? value : null);

/** Keys of external identifiers in metadata. */
const EXT_KEYS = ['gtin', 'gln', 'sscc', 'lei', 'did'] as const;
type ExtKey = (typeof EXT_KEYS)[number];

interface ExternalIdentifier {
  readonly key: ExtKey;
  readonly value: string;
}

const FORMATS: Readonly<Record<ExtKey, RegExp>> = {
  gtin: /^(\d{8}|\d{12,14})$/,
  gln: /^\d{13}$/,
  sscc: /^\d{18}$/,
  lei: /^[A-Z0-9]{18}\d{2}$/,
  // W3C DID Core §3.1.
  did: /^did:[a-z0-9]+:(?:[A-Za-z0-9._-]|%[0-9A-Fa-f]{2}|:)*[A-Za-z0-9._-]$/,
};

/**
 * Matches if the identifier has its format, the right check digits, and, for an SSCC, no other container. Other systems are not asked.
 * @param digitsHold whether the check digits are right
 * @param usedBy another event that packed a container under the same SSCC
 */
export function identifierVerdict({ key, value }: ExternalIdentifier, digitsHold: boolean, usedBy: string | null): Verdict {
  const name = key.toUpperCase();
  if (!FORMATS[key].test(value)) return { resolved: true, matches: false, detail: `${value} is not a ${name}.` };
  if (!digitsHold) return { resolved: true, matches: false, detail: `The check digit of ${name} ${value} is wrong.` };
  if (usedBy !== null)
    return { resolved: true, matches: false, detail: `${name} ${value} is also used for another container, packed by event ${usedBy}.` };
  return { resolved: true, matches: true, detail: `${name} ${value} is well formed.` };
}

const MAX_IDENTIFIERS = 50;

/** The identifiers anywhere in an event's metadata, each once. */
export function identifiersIn(metadata: unknown): readonly ExternalIdentifier[] {
  const found = new Map<string, ExternalIdentifier>();
  const collect = (value: unknown, depth: number): void => {
    if (typeof value !== 'object' || value === null || depth > 12 || found.size >= MAX_IDENTIFIERS) return;
    for (const [key, inner] of Object.entries(value)) {
      const known = EXT_KEYS.find((one) => one === key.toLowerCase());
      if (known !== undefined && typeof inner === 'string' && inner.length <= 200 && found.size < MAX_IDENTIFIERS)
        found.set(`${known}:${inner}`, { key: known, value: inner });
      else collect(inner, depth + 1);
    }
  };
  collect(metadata, 0);
  return [...found.values()];
}
