import { canonicalJson, type Json, NotCanonical } from '#kernel';
import { type Classes, type ContentClass, type WholeClass, WHOLE_CLASSES } from './classes.js';
import { type Envelope, ENVELOPE_VERSION, MAX_BLOCK_BYTES, type SealingSubject } from './envelope.js';
import { ContentTooLarge } from './fault.js';
import { countWritten, padded, padmeLength, personalLength } from './padding.js';
import { clearPart, type Leaf, leavesOf, type Path, pointerOf } from './path.js';
import { drawRandom, KEY_BYTES, type Place, type Random, sealText, TAG_BYTES } from './sealing.js';
import { HASH_BYTES, leafHash, powerOfTwoFrom, rootOf } from './tree.js';

export const SALT_BYTES = 16;

/** The keys of a block. A personal value whose key is gone, or that never was one, has null. */
export type ContentKeys = { readonly [name in WholeClass]?: Uint8Array | null } & { readonly personal?: readonly (Uint8Array | null)[] };

export interface SealedContent {
  readonly bytes: Uint8Array;
  readonly keys: ContentKeys;
  /** Hashes of all leaves in their order; they tell nothing without the salts. Empty when nothing is sealed. */
  readonly tree: readonly Uint8Array[];
}

interface SaltedLeaf {
  readonly class: ContentClass;
  /** The exact text that is hashed. */
  readonly text: string;
  readonly hash: Buffer;
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
  if (classes === null) return written({ subject, shown: content, root: null, tree: [], sealed: {}, keys: {} });
  const sealed: SaltedLeaf[] = [];
  const clear = new Set<string>();
  const leaves = leavesOf(content);
  const found = leaves.map((leaf) => ({ leaf, name: classOf(classes, leaf) }));
  // A list of thousands would take long to seal, and is refused in any case.
  if (leastBytes(found.filter(({ name }) => name !== 'public').map(({ leaf }) => leaf)) > MAX_BLOCK_BYTES) throw new ContentTooLarge();
  for (const { leaf, name } of found) {
    // An empty content is a leaf itself, and has nothing to seal.
    if (leaf.path.length === 0) break;
    if (name === 'public') clear.add(canonicalJson(leaf.path));
    else sealed.push(salted(leaf, name, random));
  }
  sealed.sort((one, other) => one.hash.compare(other.hash));
  const shown = (clearPart(content, (path) => clear.has(canonicalJson(path))) ?? {}) as Envelope['public'];
  const tree = treeOf(sealed, random);
  const root = `0x${rootOf(tree).toString('hex')}`;
  return written({ subject, shown, root, tree, ...sealClasses(sealed, classes, { ...subject, root, leaves: tree.length }, random) });
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
const leastBytes = (leaves: readonly Leaf[]): number => leaves.reduce((sum, { path }) => sum + ((32 + 2 * path.length) * 4) / 3, 0);

/** In the clear, a `null` in an array means that something is sealed there; so a public one is sealed. */
function classOf(classes: Classes, { path, value }: Leaf): ContentClass {
  const name = classes.of(path);
  return name === 'public' && value === null && typeof path.at(-1) === 'number' ? 'restricted' : name;
}

function salted({ path, value }: Leaf, name: ContentClass, random: Random): SaltedLeaf {
  const text = leafText(Buffer.from(random(SALT_BYTES)).toString('base64url'), path, value);
  return { class: name, text, hash: leafHash(Buffer.from(text)) };
}

function leafText(salt: string, path: Path, value: Json): string {
  try {
    return canonicalJson([salt, path, value]);
  } catch (error) {
    if (!(error instanceof NotCanonical)) throw error;
    const inside = error.pointer.startsWith('/2') ? error.pointer.slice(2) : '';
    throw new NotCanonical(`${pointerOf(path)}${inside}`, error.code, error.message);
  }
}

/** Random hashes fill the leaves up to a power of two. */
function treeOf(leaves: readonly SaltedLeaf[], random: Random): Buffer[] {
  const hashes = leaves.map(({ hash }) => hash);
  const count = powerOfTwoFrom(hashes.length);
  while (hashes.length < count) hashes.push(Buffer.from(random(HASH_BYTES)));
  return hashes.sort((one, other) => one.compare(other));
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

interface Parts {
  readonly subject: SealingSubject;
  readonly shown: Envelope['public'];
  readonly root: string | null;
  readonly tree: readonly Uint8Array[];
  readonly sealed: Envelope['sealed'];
  readonly keys: ContentKeys;
}

function written({ subject: { chainId, contract, kind, id }, shown, root, tree, sealed, keys }: Parts): SealedContent {
  const envelope: Envelope = { v: ENVELOPE_VERSION, chainId, contract, kind, id, public: shown, root, leaves: tree.length, sealed };
  return { bytes: Buffer.from(canonicalJson(envelope)), keys, tree };
}
