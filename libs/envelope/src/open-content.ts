import { canonicalJson, type Json } from '#kernel';
import { type SealedClass, type WholeClass, WHOLE_CLASSES } from './classes.js';
import type { Envelope } from './envelope.js';
import { ContentFault } from './fault.js';
import { padded, padmeLength, personalLength } from './padding.js';
import { clearPart, define, isLeaf, isName, type Leaf, leavesOf, type Path, pointerOf } from './path.js';
import { openText, type Place } from './sealing.js';
import type { ContentKeys } from './seal-content.js';
import { hexOf, inOrder, leafHash, rootOf, type TreeHash } from './tree.js';

/** A sealed value that was opened. */
export interface OpenedLeaf {
  readonly path: Path;
  readonly value: Json;
  readonly class: SealedClass;
  /** The exact text that was hashed. */
  readonly text: string;
  /** Its place in the tree. */
  readonly index: number;
  /** Of a personal value: its place in the list. */
  readonly place: number;
}

export interface OpenedContent {
  readonly leaves: readonly OpenedLeaf[];
  /** The public values and those that were opened, in one shape. */
  readonly content: { readonly [key: string]: Json };
  /** Whether nothing of the block is closed. */
  readonly isWhole: boolean;
  /** The hashes of all leaves, in their order. */
  readonly tree: readonly TreeHash[];
}

/** What opens a block: its keys, and the hashes of the leaves that they do not open. */
export interface Opening {
  readonly tenant: string;
  readonly keys: ContentKeys;
  readonly hidden: readonly TreeHash[];
  /** Of values whose keys were destroyed: each is `null` in the content. Without any, every leaf that a key does not open is a fault. */
  readonly erased: readonly Path[];
}

/** Opens every class whose key is here, and checks that all leaves lead to the root. @throws ContentFault */
export function openContent(envelope: Envelope, { tenant, keys, hidden, erased }: Opening): OpenedContent {
  if (envelope.root === null) return { leaves: [], content: envelope.public, isWhole: true, tree: [] };
  const at = { ...envelope, root: envelope.root, tenant };
  const opened = [...wholeLeaves(envelope, keys, at), ...personalLeaves(envelope, keys, at)];
  const hashes = opened.map(({ text }) => leafHash(text));
  const tree = inOrder([...hashes, ...hidden]);
  expectTree(envelope, tree);
  const places = new Map(tree.map((hash, i) => [hash, i]));
  const leaves = opened.map((leaf, i): OpenedLeaf => ({ ...leaf, index: places.get(hashes[i]!)! }));
  const isWhole = erased.length === 0 && WHOLE_CLASSES.every((name) => envelope.sealed[name] === undefined || keys[name]);
  const known = [...leaves, ...erased.map((path) => ({ path, value: null }))];
  return { leaves, content: contentOf(envelope, known, isWhole), isWhole, tree };
}

function expectTree({ root, leaves }: Envelope, tree: readonly TreeHash[]): void {
  if (tree.length !== leaves || tree.some((hash, i) => hash === tree[i - 1]) || hexOf(rootOf(tree)) !== root)
    throw new ContentFault('wrong_root', 'The leaves do not lead to the root of the block.');
}

type Unplaced = Omit<OpenedLeaf, 'index'>;
type Block = Omit<Place, 'class' | 'index' | 'count'>;

function wholeLeaves(envelope: Envelope, keys: ContentKeys, at: Block): Unplaced[] {
  return WHOLE_CLASSES.flatMap((name) => {
    const [text, key] = [envelope.sealed[name], keys[name]];
    if (!key) return [];
    if (text === undefined) throw new ContentFault('wrong_key', `There is a key of class ${name}, and the block has no such class.`);
    const opened = openText(text, key, placeOf(at, name, 0, 1)).toString();
    const values = unpadded(opened, padmeLength);
    if (!Array.isArray(values)) throw new ContentFault('wrong_leaf', `Class ${name} is no list of values.`);
    return values.map((value: unknown) => leafOf(value, name, 0));
  });
}

function personalLeaves(envelope: Envelope, keys: ContentKeys, at: Block): Unplaced[] {
  const texts = envelope.sealed.personal ?? [];
  const own = keys.personal ?? [];
  if (own.length > 0 && own.length !== texts.length)
    throw new ContentFault('wrong_key', 'There are more or fewer keys than personal values.');
  return texts.flatMap((text, i) => {
    const key = own[i];
    if (!key) return [];
    return [leafOf(unpadded(openText(text, key, placeOf(at, 'personal', i, texts.length)).toString(), personalLength), 'personal', i)];
  });
}

/** Only its own members: the rest of an envelope is not what a text was sealed with. */
const placeOf = ({ chainId, contract, tenant, kind, id, root, leaves }: Block, name: SealedClass, index: number, count: number): Place => ({
  ...{ chainId, contract, tenant, kind, id, root, leaves },
  ...{ class: name, index, count },
});

/** @throws ContentFault where another writer would have written other bytes */
function unpadded(text: string, toLength: (length: number) => number): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ContentFault('wrong_leaf', 'A sealed text is not JSON.');
  }
  if (padded(canonicalJson(value), toLength).toString() !== text)
    throw new ContentFault('wrong_padding', 'A sealed text has another form or length.');
  return value;
}

const SALT = /^[A-Za-z0-9_-]{21}[AQgw]$/;

/** @throws ContentFault `wrong_leaf` */
export function leafParts(value: unknown): { readonly path: Path; readonly value: Json } {
  const [salt, path, inner] = Array.isArray(value) && value.length === 3 ? (value as readonly unknown[]) : [];
  if (typeof salt !== 'string' || !SALT.test(salt) || !Array.isArray(path) || !path.every(isName) || !isLeaf(inner))
    throw new ContentFault('wrong_leaf', 'A sealed value is not a salt, a path and a value.');
  return { path, value: inner as Json };
}

const leafOf = (value: unknown, name: WholeClass | 'personal', place: number): Unplaced => ({
  ...leafParts(value),
  class: name,
  text: canonicalJson(value),
  place,
});

/** An element that is not known here. */
const HOLE: unique symbol = Symbol('hole');
/** An array of a stored content has fewer elements than its block has bytes. */
const MOST_ELEMENTS = 256 * 1024;

/**
 * Public and opened values in one shape. Where nothing is closed, it is split again, and every leaf must be as it was.
 * @throws ContentFault for a path that is there twice, goes through a value, or is public and sealed at once
 */
function contentOf(envelope: Envelope, leaves: readonly Leaf[], isWhole: boolean): OpenedContent['content'] {
  const content = withHoles(envelope.public) as Record<string, Json>;
  for (const leaf of leaves) setLeaf(content, leaf);
  const whole = filled(content, isWhole) as Record<string, Json>;
  if (!isWhole) return whole;
  const sealed = new Set(leaves.map(({ path }) => canonicalJson(path)));
  const paths = new Set(leavesOf(whole).map(({ path }) => canonicalJson(path)));
  const shown = clearPart(whole, (path) => !sealed.has(canonicalJson(path))) ?? {};
  if (![...sealed].every((path) => paths.has(path)) || canonicalJson(shown) !== canonicalJson(envelope.public))
    throw new ContentFault('public_and_sealed', 'What is public and what is sealed do not fit together.');
  return whole;
}

/** A copy of what is in the clear, in which the places of sealed elements are marked. */
function withHoles(value: Json): unknown {
  if (Array.isArray(value)) return value.map((item: Json) => (item === null ? HOLE : withHoles(item)));
  if (typeof value !== 'object' || value === null) return value;
  const copy = {};
  for (const [key, member] of Object.entries(value)) define(copy, key, withHoles(member));
  return copy;
}

function setLeaf(content: object, { path, value }: Leaf): void {
  const refuse = (): never => {
    throw new ContentFault('double_path', `${pointerOf(path)} is there twice, or goes through another value.`);
  };
  if (path.length === 0) refuse();
  let here: object = content;
  for (const [i, member] of path.entries()) {
    if (Array.isArray(here) !== (typeof member === 'number') || (typeof member === 'number' && member >= MOST_ELEMENTS)) refuse();
    const known: unknown = Object.hasOwn(here, member) ? (here as Record<string | number, unknown>)[member] : HOLE;
    if (i === path.length - 1) {
      if (known !== HOLE) refuse();
      define(here, member, value);
    } else if (known === HOLE) {
      const inner = typeof path[i + 1] === 'number' ? [] : {};
      define(here, member, inner);
      here = inner;
    } else if (typeof known !== 'object' || known === null) refuse();
    else here = known;
  }
}

/** @throws ContentFault `hole` where nothing is closed, and an element is missing all the same */
function filled(value: unknown, isWhole: boolean): unknown {
  if (value === HOLE || value === undefined) {
    if (isWhole) throw new ContentFault('hole', 'An element of a list is neither public nor sealed.');
    return null;
  }
  if (Array.isArray(value)) return Array.from(value, (item: unknown) => filled(item, isWhole));
  if (typeof value !== 'object' || value === null) return value;
  const copy = {};
  for (const [key, member] of Object.entries(value)) define(copy, key, filled(member, isWhole));
  return copy;
}
