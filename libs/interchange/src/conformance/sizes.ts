import { type Json, isObject } from '../epcis/json.js';
import { type Faults, listOf } from './faults.js';

export const EPC_LISTS = ['epcList', 'childEPCs', 'inputEPCList', 'outputEPCList'];
const REFERENCE_LISTS = ['bizTransactionList', 'sourceList', 'destinationList', 'certificationInfo'];
export const QUANTITY_LISTS = ['quantityList', 'childQuantityList', 'inputQuantityList', 'outputQuantityList'];

/** Of an event with its extensions: hashing and mapping walk through all levels. */
const MAX_DEPTH = 64;

/** Of an event: what can be prepared has at most 256 KiB, but each value is read, hashed and mapped before that size is known. */
export const MAX_VALUES = 20_000;

/** Of an event: it is kept as it came, next to its content. */
const MAX_CHARACTERS = 256 * 1024;

/** Of an event: the contract takes 500 inputs and makes 200 outputs, and each name is read, hashed and looked up before that. */
const MAX_NAMES = 1_000;

/** How many levels, values and characters of names and texts it has, counted no further than the limits. */
function sizeOf(event: Json): { readonly depth: number; readonly values: number; readonly characters: number } {
  let [depth, values, characters] = [0, 0, 0];
  const visit = (value: unknown, level: number): void => {
    values++;
    depth = Math.max(depth, level);
    if (typeof value === 'string') characters += value.length;
    if (typeof value !== 'object' || value === null || level > MAX_DEPTH) return;
    const names = Object.keys(value);
    if (names.length + values > MAX_VALUES) values = Number.POSITIVE_INFINITY;
    else
      for (const name of names) {
        if (!Array.isArray(value)) characters += name.length;
        visit((value as Json)[name], level + 1);
      }
  };
  visit(event, 0);
  return { depth, values, characters };
}

/** What is larger is refused before its texts are read. */
export const hasTooManyValues = (event: Json): boolean => sizeOf(event).values > MAX_VALUES;

/** A count of each list that names things, places, parties, documents or other events. */
export function sizeFaults(faults: Faults, event: Json): void {
  const { depth, values, characters } = sizeOf(event);
  if (depth > MAX_DEPTH) faults.add('', 'too_deep', `An event nests at most ${MAX_DEPTH} levels.`);
  if (values > MAX_VALUES) faults.add('', 'too_large', `An event has at most ${MAX_VALUES.toLocaleString('en')} values.`);
  if (characters > MAX_CHARACTERS)
    faults.add('', 'too_large', `The names and texts of an event have at most ${MAX_CHARACTERS.toLocaleString('en')} characters.`);
  const sum = (names: readonly string[]): number => names.reduce((all, name) => all + listOf(event[name]).length, 0);
  const things = sum([...EPC_LISTS, ...QUANTITY_LISTS]);
  if (things > MAX_NAMES) faults.add('', 'too_large', `An event names at most ${MAX_NAMES.toLocaleString('en')} things.`);
  for (const name of REFERENCE_LISTS)
    if (sum([name]) > MAX_NAMES) faults.add(`/${name}`, 'too_large', `${name} has at most ${MAX_NAMES.toLocaleString('en')} items.`);
  contextFaults(faults, event['@context']);
}

/** Of one `@context`. GS1's examples have some hundred bytes of their own; an export repeats it in each event of the document. */
const MAX_CONTEXT_BYTES = 16 * 1024;
const MAX_CONTEXTS = 20;
const MAX_TERMS = 100;

/** What is wrong with the size of the `@context` of a document or an event. */
export function contextFaults(faults: Faults, context: unknown): void {
  if (context === undefined) return;
  const at = '/@context';
  const contexts = listOf(context);
  if (contexts.length > MAX_CONTEXTS) return faults.add(at, 'too_many', `@context names at most ${MAX_CONTEXTS} contexts.`);
  for (const [i, one] of contexts.entries())
    if (isObject(one) && Object.keys(one).length > MAX_TERMS)
      return faults.add(Array.isArray(context) ? `${at}/${i}` : at, 'too_many', `A context has at most ${MAX_TERMS} prefixes and terms.`);
  const bytes = Buffer.byteLength(JSON.stringify(context));
  if (bytes > MAX_CONTEXT_BYTES) faults.add(at, 'too_large', `@context has ${bytes} bytes of JSON; ${MAX_CONTEXT_BYTES} is the most.`);
}
