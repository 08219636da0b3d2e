import { type OpenedLeaf, type Path, pointerOf, type SealedClass } from '#envelope';
import { atPointer, type Problem } from '#kernel';
import { placeOf } from '../process-maps/event-reading.js';
import type { Process } from '../process-maps/process-map.js';

/** What of an event is to be erased: pointers into its content, or whole classes. */
export type Selection = { readonly pointers: readonly string[] } | { readonly classes: readonly SealedClass[] };

/** A content as far as an erasure needs it. */
export interface ErasableContent {
  /** Its sealed values. */
  readonly leaves: readonly OpenedLeaf[];
  /** Its values in the clear. */
  readonly shown: Readonly<Record<string, unknown>>;
  /** Values that were erased before. */
  readonly erased: readonly Path[];
}

export type ErasureFault = 'not_separable' | 'not_erasable' | 'needed_for_record' | 'nothing_sealed';

/** A pointer that cannot be erased, and why. */
export interface RefusedPointer extends Problem {
  readonly code: ErasureFault;
}

export interface Choice {
  readonly leaves: readonly OpenedLeaf[];
  readonly refused: readonly RefusedPointer[];
}

const SENTENCES: Readonly<Record<ErasureFault, string>> = {
  not_separable: 'is sealed as one text with other values of its class: name all of them, or the class',
  not_erasable: 'is public: it is in the block in the clear, for everybody and for good',
  needed_for_record: 'is needed for the mass balance, the footprint or the lineage of the record',
  nothing_sealed: 'has no sealed value: it is not in the content, or was sealed elsewhere',
};

export const refusedPointer = (pointer: string, code: ErasureFault): RefusedPointer => ({ pointer, code, message: SENTENCES[code] });

const under = (pointer: string, outer: string): boolean => `${pointer}/`.startsWith(`${outer}/`);

/** Everything outside of the metadata, and what balances, footprints and lots are computed from (docs/spec/domain.md#erasure). */
export function neededPointers(process: Process | null): readonly string[] {
  const fields = process ?? ({} as Process);
  const names = [
    'eventTime',
    'eventTimeZoneOffset',
    'quantity',
    'inputs',
    'coProducts',
    'losses',
    'footprint',
    'expiry',
    'gtin',
    'serial',
  ] as const;
  const indicators = process?.footprint?.indicators.map(({ path }) => path) ?? [];
  return [...names.map((name) => placeOf(fields, name)), ...indicators].map((place) => `/metadata${place}`);
}

const isNeeded = (pointer: string, needed: readonly string[]): boolean =>
  !under(pointer, '/metadata') || needed.some((place) => under(pointer, place) || under(place, pointer));

/** Which values an erasure destroys, and what speaks against it. */
export function chooseLeaves({ leaves, shown, erased }: ErasableContent, selection: Selection, needed: readonly string[]): Choice {
  const pointers = new Map(leaves.map((leaf) => [leaf, pointerOf(leaf.path)]));
  if ('classes' in selection) {
    const chosen = leaves.filter((leaf) => selection.classes.includes(leaf.class));
    const stuck = chosen.filter((leaf) => isNeeded(pointers.get(leaf)!, needed));
    return { leaves: chosen, refused: stuck.map((leaf) => refusedPointer(pointers.get(leaf)!, 'needed_for_record')) };
  }
  const chosen = leaves.filter((leaf) => selection.pointers.some((pointer) => under(pointers.get(leaf)!, pointer)));
  const taken = new Set(chosen);
  const apart = chosen.filter((leaf) => leaf.class !== 'personal' && leaves.some((one) => one.class === leaf.class && !taken.has(one)));
  const refused = [
    ...chosen
      .filter((leaf) => isNeeded(pointers.get(leaf)!, needed))
      .map((leaf) => refusedPointer(pointers.get(leaf)!, 'needed_for_record')),
    ...apart.map((leaf) => refusedPointer(pointers.get(leaf)!, 'not_separable')),
    ...selection.pointers.flatMap((pointer) => {
      if (chosen.some((leaf) => under(pointers.get(leaf)!, pointer)) || erased.some((path) => under(pointerOf(path), pointer))) return [];
      return [refusedPointer(pointer, atPointer(shown, pointer) === undefined ? 'nothing_sealed' : 'not_erasable')];
    }),
  ];
  return { leaves: chosen, refused };
}

/** Personal values in the same object as one that names the person: their other data. The metadata as a whole are not about one person. */
export function ofSamePerson(leaves: readonly OpenedLeaf[], named: readonly OpenedLeaf[]): OpenedLeaf[] {
  const objects = named.flatMap(({ path }) => (path.length > 2 ? [pointerOf(path.slice(0, -1))] : []));
  return leaves.filter(
    (leaf) => leaf.class === 'personal' && (named.includes(leaf) || objects.some((object) => under(pointerOf(leaf.path), object))),
  );
}

/** A copy in which the value at the path is null; the same value where there is none. */
export function withoutValue<T>(value: T, [member, ...rest]: Path): T {
  if (member === undefined) return null as T;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, member)) return value;
  if (Array.isArray(value)) return value.with(Number(member), withoutValue(value[Number(member)] as unknown, rest)) as T;
  const inner = withoutValue((value as Record<string, unknown>)[member], rest);
  return Object.defineProperty({ ...value }, member, { value: inner, enumerable: true, configurable: true, writable: true });
}

/** The columns of an event that repeat values of its content. */
export interface RepeatedValues {
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly location: Readonly<Record<string, unknown>> | null;
  readonly documents: readonly unknown[];
}

/** They without the values at these paths of the content. */
export function withoutValues(
  { metadata, location, documents }: RepeatedValues,
  process: Process | null,
  paths: readonly Path[],
): RepeatedValues {
  const inMetadata = paths.flatMap(([first, ...rest]) => (first === 'metadata' && rest.length > 0 ? [rest] : []));
  const kept = inMetadata.reduce((rest, path) => withoutValue(rest, path), metadata);
  const fields = process ?? ({} as Process);
  const place = atPointer(kept, placeOf(fields, 'location'));
  const list = atPointer(kept, placeOf(fields, 'documents'));
  return {
    metadata: kept,
    location: location === null ? null : isObject(place) ? place : null,
    documents: documents.length === 0 ? documents : Array.isArray(list) ? (list as readonly unknown[]) : [],
  };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
