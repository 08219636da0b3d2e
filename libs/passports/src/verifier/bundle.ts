import type { Json, Members } from './encoding.js';
import type { Disclosure } from './sealed-content.js';

/** An evidence file: what it takes to check a passport without the service. All of it is canonical JSON (RFC 8785). */
export interface Bundle {
  readonly format: (typeof BUNDLE_FORMATS)[number];
  /** `public`: bytes of events are left out, since they say more than the public may read. */
  readonly tier: 'public' | 'restricted';
  /** What the public read, as RFC 8785 text, and its CID. */
  readonly passport: { readonly text: string; readonly cid: string };
  readonly chain: { readonly chainId: number; readonly contract: string };
  /** The event that made the lot first; then, in a restricted file, those of its ancestors and what was observed of them. */
  readonly events: readonly BundledEvent[];
  readonly lineage: {
    readonly complete: boolean;
    readonly edges: readonly BundledEdge[];
    /** Lots on the way that are parts of others: a split is in no event. Only where there are some, from format 2 on. */
    readonly splits?: readonly BundledSplit[];
  };
  /** By block hash: RLP of the header. */
  readonly blocks: Readonly<Record<string, string>>;
  /** SHA-256 of everything above. */
  readonly digest: string;
}

/**
 * The second has `lineage.splits`, the third also the disclosures of its events, whose values are sealed. Files of before are checked as they
 * were made.
 */
export const BUNDLE_FORMATS = [
  'traceability-passport-bundle/1',
  'traceability-passport-bundle/2',
  'traceability-passport-bundle/3',
] as const;

export interface BundledEvent {
  /** bytes32 on chain. */
  readonly eventId: string;
  readonly cid: string;
  readonly dataHash: string;
  /** The content that has this CID, as text; null in a public file. */
  readonly text: string | null;
  /** Values that the block seals and the reader of this file may read; only in files of format 3. */
  readonly disclosures?: readonly Disclosure[];
  /** What the contract keeps of the event. */
  readonly commitment: string;
  readonly blockHash: string;
  readonly blockNumber: number;
  readonly transactionIndex: number;
  /** Nodes of the receipts trie from its root to the receipt, hexadecimal. */
  readonly proof: readonly string[];
}

export interface BundledEdge {
  readonly from: string;
  readonly to: string;
  readonly eventId: string;
}

/** That a lot is a part of another, by the receipt of the call that split it. */
export interface BundledSplit {
  readonly from: string;
  readonly to: string;
  readonly blockHash: string;
  readonly blockNumber: number;
  readonly transactionIndex: number;
  readonly proof: readonly string[];
}

/** What a member may be: a text of a pattern, a number or a boolean, a list of one kind, members whose names match a pattern, or exactly these. */
type Form =
  | RegExp
  | 'text or null'
  | 'whole number'
  | 'boolean'
  | { readonly list: Form }
  | { readonly each: Form; readonly name: RegExp }
  | Named;
interface Named {
  readonly members: Readonly<Record<string, Form>>;
}

const WORD = /^0x[0-9a-f]{64}$/;
const HEX = /^0x[0-9a-f]*$/;
const CID = /^b[a-z2-7]{58}$/;
const TOKEN = /^[1-9]\d{0,77}$/;

const TRANSACTION: Named['members'] = {
  blockHash: WORD,
  blockNumber: 'whole number',
  transactionIndex: 'whole number',
  proof: { list: HEX },
};
const DISCLOSURES: Form = { list: { members: { bytes: /^\[/, index: 'whole number', path: { list: WORD } } } };

/** A file has no other member: a reader could take it for something that is proven. */
const fileWith = (lineage: Named['members'], event: Named['members'] = {}): Form => ({
  members: {
    format: /^traceability-passport-bundle\/[123]$/,
    tier: /^(public|restricted)$/,
    passport: { members: { text: /^\{/, cid: CID } },
    chain: { members: { chainId: 'whole number', contract: /^0x[0-9a-fA-F]{40}$/ } },
    events: {
      list: {
        members: {
          eventId: WORD,
          cid: CID,
          dataHash: WORD,
          text: 'text or null',
          commitment: WORD,
          ...TRANSACTION,
          ...event,
        },
      },
    },
    lineage: { members: { complete: 'boolean', edges: { list: { members: { from: TOKEN, to: TOKEN, eventId: WORD } } }, ...lineage } },
    blocks: { each: HEX, name: WORD },
    digest: WORD,
  },
});
const SPLITS: Named['members'] = { splits: { list: { members: { from: TOKEN, to: TOKEN, ...TRANSACTION } } } };
const FORMS: Readonly<Record<Bundle['format'], Form>> = {
  'traceability-passport-bundle/1': fileWith({}),
  'traceability-passport-bundle/2': fileWith(SPLITS),
  'traceability-passport-bundle/3': fileWith(SPLITS, { disclosures: DISCLOSURES }),
};

/** Pointer to the first value that does not have the form of an evidence file; null where all have it. */
export const misplacedIn = (file: Members): string | null => misplaced(FORMS[file['format'] as Bundle['format']], file, '');

function misplaced(form: Form, value: Json | undefined, at: string): string | null {
  const here = at === '' ? 'the whole' : at;
  if (form instanceof RegExp) return typeof value === 'string' && form.test(value) ? null : here;
  if (form === 'text or null') return value === null || typeof value === 'string' ? null : here;
  if (form === 'whole number') return Number.isSafeInteger(value) && (value as number) >= 0 ? null : here;
  if (form === 'boolean') return typeof value === 'boolean' ? null : here;
  if (value === null || value === undefined || typeof value !== 'object') return here;
  if ('list' in form) {
    if (!Array.isArray(value)) return here;
    return firstOf(value.map((item: Json, i) => () => misplaced(form.list, item, `${at}/${i}`)));
  }
  if (Array.isArray(value)) return here;
  const members = value as Members;
  const names = Object.keys(members);
  if ('each' in form)
    return firstOf(names.map((name) => () => (form.name.test(name) ? misplaced(form.each, members[name], `${at}/${name}`) : here)));
  const more = names.find((name) => !Object.hasOwn(form.members, name));
  if (more !== undefined) return `${at}/${more.slice(0, 40)}`;
  return firstOf(
    Object.entries(form.members).map(
      ([name, inner]) =>
        () =>
          misplaced(inner, members[name], `${at}/${name}`),
    ),
  );
}

function firstOf(checks: readonly (() => string | null)[]): string | null {
  for (const check of checks) {
    const found = check();
    if (found !== null) return found;
  }
  return null;
}
