import { canonicalJson, type Json, NotCanonical } from '#kernel';
import { type Classes, type WholeClass, WHOLE_CLASSES } from './classes.js';
import { type Envelope, ENVELOPE_VERSION, MAX_BLOCK_BYTES, type SealingSubject } from './envelope.js';
import { ContentTooLarge } from './fault.js';
import { countWritten, padded, padmeLength, personalLength } from './padding.js';
import { type Path, pointerOf } from './path.js';
import { drawRandom, KEY_BYTES, type Place, type Random, sealText, TAG_BYTES } from './sealing.js';
import { type SealedLeaf, splitContent } from './split-content.js';
import { HASH_BYTES, hexOf, inOrder, leafHash, powerOfTwoFrom, rootOf, treeHash, type TreeHash } from './tree.js';

export const SALT_BYTES = 16;

/** The keys of a block. A personal value whose key is gone, or that never was one, has null. */
export type ContentKeys = { readonly [name in WholeClass]?: Uint8Array | null } & { readonly personal?: readonly (Uint8Array | null)[] };

export interface SealedContent {
  readonly bytes: Uint8Array;
  readonly keys: ContentKeys;
  /** Hashes of the leaves that no key opens: random ones, and none when nothing is sealed. Those of all others follow from their texts. */
  readonly hidden: readonly TreeHash[];
}

interface SaltedLeaf extends Pick<SealedLeaf, 'class'> {
  /** The exact text that is hashed. */
  readonly text: string;
  readonly hash: TreeHash;
}

/**
 * Makes the block of a content: its public values in the clear, all others salted, hashed into a tree and sealed by class.
 * @param classes null: everything is public
 * @throws NotCanonical with the pointer of a value that has no canonical form; ContentTooLarge before anything is hashed
 */
export function sealContent(
  content: { readonly [key: string]: Json },
  classes: Classes | null,
  subject: SealingSubject,
  random: Random = drawRandom,
): SealedContent {
  if (classes === null) return written({ subject, shown: content, root: null, leaves: 0, hidden: [], sealed: {}, keys: {} });
  const { shown, sealed: leaves } = splitContent(content, classes.start);
  // A list of thousands would take long to seal, and is refused in any case.
  if (leastBytes(leaves) > MAX_BLOCK_BYTES) throw new ContentTooLarge();
  const sealed = leaves.map((leaf) => salted(leaf, random)).sort((one, other) => (one.hash < other.hash ? -1 : 1));
  const count = powerOfTwoFrom(sealed.length);
  // Random hashes fill the leaves up to a power of two.
  const hidden = Array.from({ length: count - sealed.length }, () => treeHash(random(HASH_BYTES)));
  const root = hexOf(rootOf(inOrder([...sealed.map(({ hash }) => hash), ...hidden])));
  return written({
    subject,
    shown,
    root,
    leaves: count,
    hidden,
    ...sealClasses(sealed, classes, { ...subject, root, leaves: count }, random),
  });
}

type Block = Omit<Place, 'class' | 'index' | 'count'>;

function sealClasses(
  leaves: readonly SaltedLeaf[],
  classes: Classes,
  at: Block,
  random: Random,
): Pick<SealedContent, 'keys'> & Pick<Envelope, 'sealed'> {
  const keys: { -readonly [name in keyof ContentKeys]: ContentKeys[name] } = {};
  const sealed: { -readonly [name in keyof Envelope['sealed']]: Envelope['sealed'][name] } = {};
  for (const name of WHOLE_CLASSES) {
    const own = leaves.filter((leaf) => leaf.class === name);
    // `restricted` is in every block, and the others where the rules name them: what is there tells nothing of the content.
    if (own.length === 0 && name !== 'restricted' && !classes.named.has(name)) continue;
    const key = (keys[name] = random(KEY_BYTES));
    sealed[name] = sealText(padded(`[${own.map(({ text }) => text).join(',')}]`, padmeLength), key, {
      ...at,
      class: name,
      index: 0,
      count: 1,
    });
  }
  if (classes.named.has('personal')) {
    const personal = sealPersonal(leaves, at, random);
    sealed.personal = personal.map(({ text }) => text);
    keys.personal = personal.map(({ key }) => key);
  }
  return { sealed, keys };
}

/** A leaf has a salt, its brackets and commas, and the names of its path; base64url makes four bytes of three. */
const leastBytes = (leaves: readonly SealedLeaf[]): number => leaves.reduce((sum, { depth }) => sum + ((32 + 2 * depth) * 4) / 3, 0);

function salted({ class: name, path, value }: SealedLeaf, random: Random): SaltedLeaf {
  const text = `["${Buffer.from(random(SALT_BYTES)).toString('base64url')}",${path},${valueText(path, value)}]`;
  return { class: name, text, hash: leafHash(text) };
}

/** As deep as its reader finds it, in a list of leaves. @throws NotCanonical with the pointer into the content */
function valueText(path: string, value: Json): string {
  try {
    return Array.isArray(value) ? canonicalJson([[value]]).slice(2, -2) : canonicalJson(value);
  } catch (error) {
    if (!(error instanceof NotCanonical)) throw error;
    const inside = Array.isArray(value) ? error.pointer.slice('/0/0'.length) : error.pointer;
    throw new NotCanonical(pointerOf(JSON.parse(path) as Path) + inside, error.code, error.message);
  }
}

interface PersonalText {
  readonly text: string;
  readonly key: Uint8Array | null;
}

/** Each value under a key of its own, between random texts of the same lengths, in an order that tells nothing. */
function sealPersonal(leaves: readonly SaltedLeaf[], at: Block, random: Random): PersonalText[] {
  const texts: (Buffer | number)[] = leaves.filter((leaf) => leaf.class === 'personal').map(({ text }) => padded(text, personalLength));
  const counts = new Map<number, number>();
  for (const text of texts as readonly Buffer[]) counts.set(text.length, (counts.get(text.length) ?? 0) + 1);
  for (const [length, count] of counts) for (let i = count; i < countWritten(count, length); i++) texts.push(length);
  while (texts.length === 0 || texts.length % 8 !== 0) texts.push(personalLength(1));
  const shuffled = texts
    .map((text) => ({ text, place: Buffer.from(random(SALT_BYTES)) }))
    .sort((one, other) => one.place.compare(other.place));
  return shuffled.map(({ text }, index) => {
    if (typeof text === 'number') return { text: Buffer.from(random(text + TAG_BYTES)).toString('base64url'), key: null };
    const key = random(KEY_BYTES);
    return { text: sealText(text, key, { ...at, class: 'personal', index, count: shuffled.length }), key };
  });
}

interface Parts extends Pick<Envelope, 'root' | 'leaves' | 'sealed'>, Pick<SealedContent, 'keys' | 'hidden'> {
  readonly subject: SealingSubject;
  readonly shown: Envelope['public'];
}

function written({ subject: { chainId, contract, kind, id }, shown, root, leaves, sealed, keys, hidden }: Parts): SealedContent {
  const envelope: Envelope = { v: ENVELOPE_VERSION, chainId, contract, kind, id, public: shown, root, leaves, sealed };
  return { bytes: Buffer.from(canonicalJson(envelope)), keys, hidden };
}
