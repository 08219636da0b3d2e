import { escapePointer, isObject } from '#kernel';
import type { ProcessField } from './process-fields.js';

type Kinds = ReadonlyMap<string, ProcessField['type']>;

/** A decimal whose value a number keeps. */
const NUMBER = /^-?\d{1,15}(?:\.\d{1,9})?$/;

/**
 * Metadata of an event that was read from XML, which has no numbers and no list of one: a text is a number, and a value a list, where the
 * process wants it so. What does not fit stays as it is, and the process refuses it.
 */
export function typedMetadata(
  metadata: Readonly<Record<string, unknown>>,
  fields: readonly Pick<ProcessField, 'pointer' | 'type'>[],
): Readonly<Record<string, unknown>> {
  const kinds: Kinds = new Map(fields.map(({ pointer, type }) => [pointer, type]));
  const lists = new Set(fields.flatMap(({ pointer }) => [...pointer.matchAll(/\/0(?=\/|$)/g)].map(({ index }) => pointer.slice(0, index))));
  return typed(metadata, '/metadata', kinds, lists) as Readonly<Record<string, unknown>>;
}

function typed(value: unknown, at: string, kinds: Kinds, lists: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return (value as unknown[]).map((one) => typed(one, `${at}/0`, kinds, lists));
  if (lists.has(at)) return [typed(value, `${at}/0`, kinds, lists)];
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [
        name,
        name === 'coordinates' ? positions(inner) : typed(inner, `${at}/${escapePointer(name)}`, kinds, lists),
      ]),
    );
  return typeof value === 'string' ? typedText(value, kinds.get(at)) : value;
}

/** Positions of GeoJSON, which schemas describe by their alternatives. */
function positions(value: unknown): unknown {
  if (Array.isArray(value)) return (value as unknown[]).map(positions);
  return typeof value === 'string' && NUMBER.test(value) ? Number(value) : value;
}

function typedText(text: string, kind: ProcessField['type'] | undefined): unknown {
  if (kind === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  return (kind === 'number' || kind === 'integer') && NUMBER.test(text) ? Number(text) : text;
}
