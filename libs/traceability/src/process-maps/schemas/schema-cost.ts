import { isObject } from '#kernel';
import type { JsonSchema } from '../process-map.js';
import { referenced, subschemas } from './json-schema.js';
import { isPatternFault, knownPattern, MAX_MATCHED } from './linear-pattern.js';

type SchemaObject = { readonly [keyword: string]: unknown };

/** A schema as its cost sees it: which part of it meets which values. Parts that are referred to repeatedly are one object. */
export interface CostPlan {
  /** Comparisons for any value: the part itself, and what it compares with. */
  readonly own: number;
  /** Comparisons for each character of a text or a name. */
  readonly perCharacter: number;
  /** Has a format; some of those take the square of the length. */
  readonly format: boolean;
  /** Compares or counts the whole value below, not just its top. */
  readonly deep: boolean;
  readonly sameValue: readonly CostPlan[];
  readonly named: ReadonlyMap<string, CostPlan>;
  readonly eachMember: readonly CostPlan[];
  /** What each name of an object has to be. */
  readonly names: readonly CostPlan[];
  /** Reads every name of an object, and not only those that it declares. */
  readonly listsNames: boolean;
  /** Written out, with every reference replaced by what it refers to. */
  readonly parts: number;
}

/** One value of a schema or of metadata and everything below it. @param most the count goes no further than one more */
export function valuesIn(value: unknown, most = Infinity): number {
  let count = 0;
  const open: unknown[] = [value];
  while (open.length > 0) {
    const here = open.pop();
    count++;
    if (typeof here !== 'object' || here === null) continue;
    const members: readonly unknown[] = Array.isArray(here) ? here : Object.values(here);
    if (count + open.length + members.length > most) return most + 1;
    for (const member of members) open.push(member);
  }
  return count;
}

const ONE: CostPlan = {
  ...{ own: 1, perCharacter: 0, format: false, deep: false, parts: 1 },
  ...{ sameValue: [], named: new Map(), eachMember: [], names: [], listsNames: false },
};
const NAMED = new Set(['properties']);
/** Their values are lists or objects to compare with, not schemas. */
const COMPARED = ['enum', 'const', 'required', 'dependentRequired', 'type'];

/** @param root has no reference that comes back to itself */
export function costPlan(root: SchemaObject): CostPlan {
  const known = new Map<unknown, CostPlan>();
  const plan = (schema: JsonSchema | undefined): CostPlan => {
    if (!isObject(schema)) return ONE;
    const before = known.get(schema);
    if (before) return before;
    const sameValue: CostPlan[] = [];
    const eachMember: CostPlan[] = [];
    const names: CostPlan[] = [];
    const named = new Map<string, CostPlan>();
    if (typeof schema['$ref'] === 'string') sameValue.push(plan(referenced(root, schema['$ref'])));
    for (const child of subschemas(schema)) {
      const keyword = child.pointer.split('/', 2)[1]!;
      if (NAMED.has(keyword)) continue;
      (child.inPlace ? sameValue : keyword === 'propertyNames' ? names : eachMember).push(plan(child.schema));
    }
    const properties = schema['properties'];
    if (isObject(properties)) for (const name of Object.keys(properties)) named.set(name, plan(properties[name] as JsonSchema));
    const children = [...sameValue, ...eachMember, ...names, ...named.values()];
    const made: CostPlan = {
      own: 1 + COMPARED.reduce((sum, keyword) => sum + (schema[keyword] === undefined ? 0 : valuesIn(schema[keyword])), 0),
      perCharacter: characterCost(schema),
      format: schema['format'] !== undefined,
      deep: schema['uniqueItems'] === true,
      ...{ sameValue, named, eachMember, names, listsNames: eachMember.length + names.length > 0 },
      parts: children.reduce((sum, child) => sum + child.parts, 1),
    };
    known.set(schema, made);
    return made;
  };
  return plan(root);
}

/** An instruction of a pattern's program takes about a sixteenth of the time in which a part of a schema meets a value. */
const characterCost = (schema: SchemaObject): number => 1 / 64 + costOfPatterns(schema) / 16;

const costsKnown = new WeakMap<SchemaObject, number>();

/** Instructions of the programs of all patterns in one part of a schema. */
function costOfPatterns(schema: SchemaObject): number {
  const known = costsKnown.get(schema) ?? countInstructions(schema);
  costsKnown.set(schema, known);
  return known;
}

function countInstructions(schema: SchemaObject): number {
  const patterns = [
    ...(typeof schema['pattern'] === 'string' ? [schema['pattern']] : []),
    ...(isObject(schema['patternProperties']) ? Object.keys(schema['patternProperties']) : []),
  ];
  return patterns.reduce((sum, source) => {
    const pattern = knownPattern(source);
    return sum + (isPatternFault(pattern) ? 0 : pattern.size);
  }, 0);
}

/** Of the programs of all patterns in a schema and its definitions. */
export function patternCost(root: SchemaObject): number {
  const defs = isObject(root['$defs']) ? (Object.values(root['$defs']) as JsonSchema[]) : [];
  let count = 0;
  const open: JsonSchema[] = [root, ...defs];
  while (open.length > 0) {
    const schema = open.pop()!;
    if (!isObject(schema)) continue;
    count += costOfPatterns(schema);
    open.push(...subschemas(schema).map((child) => child.schema));
  }
  return count;
}

/**
 * What is left of a budget of comparisons after a value was compared with a schema; below 0 as soon as it is exceeded, so that counting itself
 * takes no longer than the budget allows. An upper bound: a part that depends on another one's outcome counts as if it were asked.
 */
export function spend(plan: CostPlan, value: unknown, budget: number, sizes = new Map<unknown, number>()): number {
  let left = budget - plan.own;
  if (typeof value === 'string') left -= textCost(plan, Math.min(value.length, MAX_MATCHED));
  if (left < 0) return left;
  for (const part of plan.sameValue) {
    left = spend(part, value, left, sizes);
    if (left < 0) return left;
  }
  return typeof value === 'object' && value !== null ? spendMembers(plan, value, left, sizes) : left;
}

const textCost = ({ perCharacter, format }: CostPlan, length: number): number =>
  perCharacter * length + (format ? length + (length * length) / 256 : 0);

function spendMembers(plan: CostPlan, value: object, budget: number, sizes: Map<unknown, number>): number {
  let left = budget;
  if (plan.deep) {
    if (!sizes.has(value)) sizes.set(value, valuesIn(value));
    left -= sizes.get(value)!;
  }
  if (Array.isArray(value)) return spendEach(plan.eachMember, value, left, sizes);
  for (const [name, part] of plan.named) {
    left -= 1;
    if (left >= 0 && Object.hasOwn(value, name)) left = spend(part, (value as Record<string, unknown>)[name], left, sizes);
    if (left < 0) return left;
  }
  if (!plan.listsNames) return left;
  const names = Object.keys(value);
  left -= names.reduce((sum, name) => sum + 1 + plan.perCharacter * Math.min(name.length, MAX_MATCHED), 0);
  if (plan.names.length > 0) left = spendEach(plan.names, names, left, sizes);
  return left < 0 ? left : spendEach(plan.eachMember, Object.values(value), left, sizes);
}

function spendEach(parts: readonly CostPlan[], values: readonly unknown[], budget: number, sizes: Map<unknown, number>): number {
  let left = budget;
  for (const value of values)
    for (const part of parts) {
      left = spend(part, value, left, sizes);
      if (left < 0) return left;
    }
  return left;
}
