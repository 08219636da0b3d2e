import { canonicalJson, type Json, NotCanonical } from '#kernel';
import type { ClassScope, SealedClass } from './classes.js';
import { define, isLeaf, type Path, pointerOf } from './path.js';

/** A leaf that is not in the clear, without its salt. */
export interface SealedLeaf {
  readonly class: SealedClass;
  /** Its path in canonical JSON. */
  readonly path: string;
  readonly depth: number;
  readonly value: Json;
}

/** A content with its leaves in their classes. */
export interface SplitContent {
  /** The same shape with only the leaves in the clear; an element of an array that has none is `null`, and nothing of the kind ends an array. */
  readonly shown: { readonly [key: string]: Json };
  /** Depth first. */
  readonly sealed: readonly SealedLeaf[];
}

interface Place {
  readonly scope: ClassScope;
  /** The items of the path in canonical JSON, with commas between. */
  readonly names: string;
  readonly depth: number;
  readonly isElement: boolean;
}

/** @param start where the classes begin @throws NotCanonical with the pointer of a name that is no Unicode text */
export function splitContent(content: { readonly [key: string]: Json }, start: ClassScope): SplitContent {
  // An empty content is a leaf itself, and has nothing to seal.
  if (isLeaf(content)) return { shown: {}, sealed: [] };
  const sealed: SealedLeaf[] = [];
  const shown = split(content, { scope: start, names: '', depth: 0, isElement: false }, sealed);
  return { shown: (shown ?? {}) as SplitContent['shown'], sealed };
}

/** @returns what is in the clear; undefined where nothing is */
function split(value: Json, place: Place, sealed: SealedLeaf[]): Json | undefined {
  if (isLeaf(value)) return splitLeaf(value, place, sealed);
  return Array.isArray(value)
    ? splitItems(value as readonly Json[], place, sealed)
    : splitMembers(value as { readonly [key: string]: Json }, place, sealed);
}

function splitLeaf(value: Json, { scope, names, depth, isElement }: Place, sealed: SealedLeaf[]): Json | undefined {
  // In the clear, a `null` in an array means that something is sealed there; so a public one is sealed.
  if (scope.class === 'public' && !(isElement && value === null)) return value;
  sealed.push({ class: scope.class === 'public' ? 'restricted' : scope.class, path: `[${names}]`, depth, value });
  return undefined;
}

function splitItems(items: readonly Json[], place: Place, sealed: SealedLeaf[]): Json | undefined {
  const shown = items.map((item, i) => split(item, inside(place, i, String(i)), sealed));
  const end = shown.findLastIndex((item) => item !== undefined) + 1;
  return end === 0 ? undefined : shown.slice(0, end).map((item) => item ?? null);
}

function splitMembers(members: { readonly [key: string]: Json }, place: Place, sealed: SealedLeaf[]): Json | undefined {
  let shown: Record<string, Json> | undefined;
  for (const key of Object.keys(members)) {
    const part = split(members[key]!, inside(place, key, key), sealed);
    if (part !== undefined) define((shown ??= {}), key, part);
  }
  return shown;
}

function inside({ scope, names, depth }: Place, name: string | number, key: string): Place {
  const item = typeof name === 'number' ? key : nameText(names, name);
  return { scope: scope.to(key), names: depth === 0 ? item : `${names},${item}`, depth: depth + 1, isElement: typeof name === 'number' };
}

function nameText(names: string, name: string): string {
  try {
    return canonicalJson(name);
  } catch (error) {
    if (!(error instanceof NotCanonical)) throw error;
    throw new NotCanonical(pointerOf([...(JSON.parse(`[${names}]`) as Path), name]), error.code, error.message);
  }
}
