import { LotKey, type Problem, atPointer, escapePointer, isObject, pointerNames } from '#kernel';
import type { ElementRule } from '../elements/data-element.js';
import type { Step } from '../elements/element-path.js';

/** Members of a document that the service writes itself; what a client sends in their place has no effect. */
const ASSIGNED = new Set([
  ...['digitalProductPassportId', 'uniqueProductIdentifier', 'granularity', 'dppSchemaVersion', 'dppStatus', 'lastUpdated', 'lastUpdate'],
  ...['economicOperatorId', 'facilityId', 'contentSpecificationIds', '@context'],
]);
/** A member of the profile: what recording the event needs apart from elements. */
const EVENT = 'event';

type Json = Readonly<Record<string, unknown>>;

/** A change of metadata: a value at a pointer, or undefined where it goes. */
export interface MetadataChange {
  readonly pointer: string;
  readonly value: unknown;
}

export interface WrittenElements {
  readonly changes: readonly MetadataChange[];
  readonly problems: readonly Problem[];
}

/** What a compressed document, or a merge patch of one, writes into the metadata of the event. */
export function writtenElements(document: Json, rules: readonly ElementRule[]): WrittenElements {
  const changes: MetadataChange[] = [];
  const problems: Problem[] = [];
  const write = (members: Json, among: readonly ElementRule[], at: string, base: string): void => {
    for (const [name, value] of Object.entries(members)) {
      const place = `${at}/${escapePointer(name)}`;
      const rule = among.find(({ id }) => id === name);
      if (!rule)
        problems.push({
          pointer: place,
          code: 'unknown_element',
          message: `${name} is no element that the process map lets a client write`,
        });
      else writeOne(rule, value, place, base);
    }
  };
  const writeOne = (rule: ElementRule, value: unknown, place: string, base: string): void => {
    if (rule.value !== undefined) {
      if (value !== rule.value)
        problems.push({ pointer: place, code: 'fixed_by_map', message: `${rule.id} is the same for every product of the type` });
    } else if (rule.elements && isObject(value)) write(value, rule.elements, place, base + (rule.path ?? ''));
    else if (rule.path === undefined) problems.push({ pointer: place, code: 'not_allowed_value', message: `${rule.id} is a collection` });
    else changes.push({ pointer: base + rule.path, value: value === null ? undefined : plain(rule, value) });
  };
  write(Object.fromEntries(Object.entries(document).filter(([name]) => !ASSIGNED.has(name) && name !== EVENT)), rules, '', '');
  return { changes, problems };
}

/** A value of an element as the metadata have it. */
function plain(rule: ElementRule, value: unknown): unknown {
  if (rule.language !== undefined && Array.isArray(value)) {
    const texts = value.map((item: unknown) => (isObject(item) && typeof item['value'] === 'string' ? item['value'] : item));
    return texts.length === 1 ? texts[0] : texts;
  }
  if (rule.contentType !== undefined && isObject(value)) return value['url'];
  if (rule.elements && Array.isArray(value))
    return value.map((item: unknown) => (isObject(item) ? writtenItem(rule.elements!, item) : item));
  return value;
}

function writtenItem(rules: readonly ElementRule[], item: Json): Json {
  return withChanges({}, writtenElements(item, rules).changes);
}

/** A copy with these changes; objects merge as RFC 7396 merges them. */
export function withChanges(metadata: Json, changes: readonly MetadataChange[]): Json {
  const copy = structuredClone(metadata) as Record<string, unknown>;
  for (const { pointer, value } of changes) setAt(copy, pointerNames(pointer), value);
  return copy;
}

function setAt(target: Record<string, unknown>, [name, ...rest]: readonly string[], value: unknown): void {
  if (rest.length > 0) {
    const inner = isObject(target[name!]) ? target[name!] : {};
    target[name!] = inner;
    setAt(inner as Record<string, unknown>, rest, value);
  } else if (value === undefined) delete target[name!];
  else target[name!] = merged(target[name!], value);
}

function merged(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result: Record<string, unknown> = isObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch))
    if (value === null) delete result[name];
    else result[name] = merged(result[name], value);
  return result;
}

/** What recording needs apart from elements: the member `event` of the profile. */
export interface EventWords {
  readonly processType: string | null;
  readonly inputTokenIds: readonly unknown[];
  readonly metadata: Json;
}

export function eventWords(document: Json): EventWords {
  const event = document[EVENT];
  if (!isObject(event)) return { processType: null, inputTokenIds: [], metadata: {} };
  const { processType, inputTokenIds, metadata } = event;
  return {
    processType: typeof processType === 'string' ? processType : null,
    inputTokenIds: Array.isArray(inputTokenIds) ? inputTokenIds : [],
    metadata: isObject(metadata) ? metadata : {},
  };
}

/** GTIN, lot and serial number that an identifier names; null for one that names no lot and no item. */
export function namedProduct(identifier: unknown): LotKey | null {
  const key = typeof identifier === 'string' ? LotKey.read(identifier) : null;
  return key?.gtin ? key : null;
}

/**
 * The merge patch that writes a value at a path of the compressed document; a list is written whole.
 * @param current the document @returns null for an item that its list does not have: a list has no gaps
 */
export function patchAt(steps: readonly Step[], value: unknown, current: unknown): Json | null {
  const names = steps.slice(
    0,
    steps.findIndex((step) => typeof step === 'number') === -1 ? undefined : steps.findIndex((step) => typeof step === 'number'),
  );
  const rest = steps.slice(names.length);
  const pointer = names.map((name) => `/${escapePointer(String(name))}`).join('');
  const before = atPointer(current, pointer);
  if (isBeyondItsList(before, rest)) return null;
  const whole = rest.length === 0 ? value : replaced(before, rest, value);
  return names.reduceRight<unknown>((inner, name) => ({ [name]: inner }), whole) as Json;
}

function isBeyondItsList(current: unknown, [step, ...rest]: readonly Step[]): boolean {
  if (step === undefined || typeof current !== 'object' || current === null) return false;
  if (Array.isArray(current) && Number(step) >= current.length) return true;
  return isBeyondItsList((current as Record<Step, unknown>)[step], rest);
}

function replaced(current: unknown, [step, ...rest]: readonly Step[], value: unknown): unknown {
  if (step === undefined) return value;
  const copy = (Array.isArray(current) ? [...current] : isObject(current) ? { ...current } : {}) as Record<Step, unknown>;
  copy[step] = replaced(copy[step], rest, value);
  return copy;
}
