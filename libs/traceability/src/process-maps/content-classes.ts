import { Classes, type ClassRule, type ClassScope, type ContentClass, isLeaf } from '#envelope';
import { type Json, atPointer, escapePointer, isObject } from '#kernel';
import { placeOf } from './event-reading.js';
import type { Process } from './process-map.js';

/**
 * In the clear in every content: the words behind the hashes on chain, without which nobody could read the chain again
 * (docs/spec/domain.md#sealed-contents).
 */
const WORDS: readonly ClassRule[] = [
  ...['processType', 'processMap', 'processMapVersion', 'processMapCid', 'outputTlc'],
  ...['tlc', 'gtin', 'serial', 'assetType', 'uom'].map((name) => `inputs/*/${name}`),
  ...['tlc', 'gtin', 'serial', 'key', 'assetType', 'uom'].map((name) => `outputs/*/${name}`),
].map((path) => ({ pointer: `/${path}`, class: 'public' }));

/** What everybody reads of a public document; its number and what else it has is restricted. */
const OF_PUBLIC_DOCUMENTS = ['type', 'issuer', 'validTo', 'visibility'];
const DOCUMENT_CLASSES = new Map<unknown, ContentClass>([
  ['public', 'public'],
  ['authority', 'authority'],
]);

const classesOf = new WeakMap<Process, Map<string, Classes>>();

/** The class of each value in the content of an event of this process. Documents say for themselves who reads them. */
export function contentClasses(process: Process, metadata: Readonly<Record<string, unknown>>): Classes {
  const place = placeOf(process, 'documents');
  const documents = atPointer(metadata, place);
  const visibilities = Array.isArray(documents) ? documents.map((one: unknown) => (isObject(one) ? one['visibility'] : null)) : [];
  const known = classesOf.get(process) ?? new Map<string, Classes>();
  classesOf.set(process, known);
  const key = JSON.stringify(visibilities);
  const classes = known.get(key) ?? new Classes([...WORDS, ...mapRules(process), ...documentRules(place, visibilities)]);
  // Events of a process have few kinds of documents; a list of hundreds is not kept.
  if (known.size < 100 && key.length < 500) known.set(key, classes);
  return classes;
}

const mapRules = ({ visibility = {} }: Process): ClassRule[] =>
  Object.entries(visibility).flatMap(([name, pointers]) =>
    pointers.map((pointer) => ({ pointer: `/metadata${pointer}`, class: name as ContentClass })),
  );

const documentRules = (place: string, visibilities: readonly unknown[]): ClassRule[] =>
  visibilities.flatMap((visibility, i): ClassRule[] => {
    const document = `/metadata${place}/${i}`;
    const name = DOCUMENT_CLASSES.get(visibility) ?? 'restricted';
    if (name !== 'public') return [{ pointer: document, class: name }];
    return OF_PUBLIC_DOCUMENTS.map((member) => ({ pointer: `${document}/${escapePointer(member)}`, class: name }));
  });

/** What metadata of an event of this process have of some classes; null where there are none. */
export function metadataOfClasses(
  process: Process,
  metadata: Readonly<Record<string, unknown>>,
  classes: ReadonlySet<ContentClass>,
): Readonly<Record<string, unknown>> | null {
  const start = contentClasses(process, metadata).start.to('metadata');
  return (partOfClasses(metadata as Json, start, classes) as Record<string, unknown> | undefined) ?? null;
}

function partOfClasses(value: Json, scope: ClassScope, classes: ReadonlySet<ContentClass>): Json | undefined {
  if (isLeaf(value)) return classes.has(scope.class) ? value : undefined;
  if (Array.isArray(value)) {
    const items = (value as readonly Json[]).map((item, i) => partOfClasses(item, scope.to(String(i)), classes));
    return items.every((item) => item === undefined) ? undefined : items.map((item) => item ?? null);
  }
  const members = Object.entries(value as { readonly [name: string]: Json }).flatMap(([name, member]) => {
    const part = partOfClasses(member, scope.to(name), classes);
    return part === undefined ? [] : [[name, part] as const];
  });
  return members.length === 0 ? undefined : Object.fromEntries(members);
}
