import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { validateSync, type ValidationError } from 'class-validator';
import { addProblem, escapePointer, MOST_PROBLEMS, nulCharacter, type Problem } from '#kernel';
import { malformedRequest } from '../problems/refusals.js';
import { fieldTextFaults, freeObjectFaults } from './free-object.js';
import { type DtoClass, type FieldShape, fieldsOf } from './shape.js';

type Plain = Readonly<Record<string, unknown>>;

export const isPlainObject = (value: unknown): value is Plain => typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * A request's JSON as an instance of its DTO class, with all validation errors. Does not use class-transformer, which copies free-form
 * objects and throws for a member named `constructor`.
 */
export function readBody(type: DtoClass, body: Plain): { readonly dto: object; readonly problems: readonly Problem[] } {
  const structural: Problem[] = [];
  const dto = instance(type, body, '', structural);
  // More would not be listed, and the rules of each field take longer than all of this.
  if (structural.length >= MOST_PROBLEMS) return { dto, problems: structural };
  const reported = new Set(structural.map(({ pointer }) => pointer));
  const alreadyReported = (pointer: string): boolean => pointersAround(pointer).some((around) => reported.has(around));
  return { dto, problems: [...structural, ...ruleProblems(type, dto).filter(({ pointer }) => !alreadyReported(pointer))] };
}

/** The pointer itself, and those of everything around its place. */
const pointersAround = (pointer: string): string[] => {
  const names = pointer.split('/');
  return names.map((_, i) => names.slice(0, i + 1).join('/'));
};

/** Parses numbers and booleans. `KnownParameters` has refused unknown parameters where that is the rule (docs/spec/api.md#conventions). */
function readQuery(type: DtoClass, query: Plain): { readonly dto: object; readonly problems: readonly Problem[] } {
  const dto = new type() as Record<string, unknown>;
  for (const [name, shape] of fieldsOf(type)) if (Object.hasOwn(query, name)) dto[name] = fromText(shape, query[name]);
  const faults = Object.entries(dto).flatMap(([name, value]) => fieldTextFaults(value, `/${escapePointer(name)}`));
  return { dto, problems: faults.length > 0 ? faults : ruleProblems(type, dto) };
}

function instance(type: DtoClass, plain: Plain, pointer: string, problems: Problem[]): object {
  const fields = fieldsOf(type);
  const dto = new type() as Record<string, unknown>;
  for (const [key, value] of Object.entries(plain)) {
    const at = `${pointer}/${escapePointer(key)}`;
    const shape = fields.get(key);
    if (!shape) addProblem(problems, () => unknownField(key, at));
    else if (isTooLong(shape, value)) {
      addProblem(problems, () => tooLong(shape, value, at));
      dto[key] = [];
    } else {
      const faults =
        shape.free !== undefined && isPlainObject(value) ? freeObjectFaults(value, at, shape.free) : fieldTextFaults(value, at);
      for (const fault of faults) addProblem(problems, () => fault);
      dto[key] = shape.nested ? nested(shape, value, at, problems) : value;
    }
  }
  return dto;
}

const unknownField = (name: string, pointer: string): Problem => ({
  pointer,
  code: 'unknown_field',
  message: `This request has no field ${name.slice(0, 100)}.`,
});

/** Of a list whose field says nothing else: the rules of each item take some microseconds. */
const MOST_ITEMS = 10_000;
const isTooLong = ({ maxItems = MOST_ITEMS }: FieldShape, value: unknown): value is readonly unknown[] =>
  Array.isArray(value) && value.length > maxItems;
const tooLong = ({ maxItems = MOST_ITEMS }: FieldShape, { length }: readonly unknown[], pointer: string): Problem => ({
  pointer,
  code: 'wrong_length',
  message: `${pointer} has ${length} items; ${maxItems} is the most.`,
});

function nested(shape: FieldShape, value: unknown, pointer: string, problems: Problem[]): unknown {
  const type = shape.nested!();
  if (isPlainObject(value)) return instance(type, value, pointer, problems);
  if (!Array.isArray(value)) return value;
  return value.map((item: unknown, i) => {
    if (isPlainObject(item)) return instance(type, item, `${pointer}/${i}`, problems);
    const at = `${pointer}/${i}`;
    addProblem(problems, () => ({ pointer: at, code: 'wrong_type', message: `${at} must be an object.` }));
    return new type();
  });
}

function fromText(shape: FieldShape, value: unknown): unknown {
  if (shape.text === 'list') return Array.isArray(value) ? value : [value];
  if (typeof value !== 'string') return value;
  if (shape.text === 'number' && /^-?\d+(\.\d+)?$/.test(value)) return Number(value);
  if (shape.text === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}

const ruleProblems = (type: DtoClass, dto: object): Problem[] =>
  validateSync(dto, { forbidUnknownValues: false, validationError: { target: false } }).flatMap((error) => problemsIn(type, error, ''));

/** One error per field, for the first rule that it violates (docs/spec/reliability.md#faults-to-avoid). */
function problemsIn(type: DtoClass | null, error: ValidationError, pointer: string): Problem[] {
  const at = `${pointer}/${escapePointer(error.property)}`;
  const shape = type && fieldsOf(type).get(error.property);
  const children = (error.children ?? []).flatMap((child) =>
    // The children of a list are its items, named by index; their children are the fields.
    Array.isArray(error.value)
      ? (child.children ?? []).flatMap((field) => problemsIn(shape?.nested?.() ?? null, field, `${at}/${child.property}`))
      : problemsIn(shape?.nested?.() ?? null, child, at),
  );
  const broken = Object.entries(error.constraints ?? {});
  if (broken.length === 0) return children;
  const [rule, message] = broken.find(([name]) => TYPE_RULES.has(name)) ?? broken[0]!;
  if (error.value === undefined) return [{ pointer: at, code: 'required', message: `${error.property} is required.` }];
  return [{ pointer: `${at}${itemIndex(shape, error.value)}`, code: CODES[rule] ?? 'invalid', message: sentence(message) }];
}

function itemIndex(shape: FieldShape | null | undefined, value: unknown): string {
  if (!shape?.item || !Array.isArray(value)) return '';
  const index = value.findIndex((item) => !shape.item!(item));
  return index < 0 ? '' : `/${index}`;
}

const sentence = (message: string): string => (message.endsWith('.') ? message : `${message}.`);

const TYPE_RULES = new Set(['isString', 'isInt', 'isNumber', 'isBoolean', 'isObject', 'isArray', 'nestedValidation']);
const CODES: Readonly<Record<string, string>> = {
  ...Object.fromEntries([...TYPE_RULES].map((rule) => [rule, 'wrong_type'])),
  isIn: 'not_allowed',
  matches: 'wrong_format',
  min: 'out_of_range',
  max: 'out_of_range',
  minLength: 'wrong_length',
  maxLength: 'wrong_length',
  arrayMinSize: 'wrong_length',
  arrayMaxSize: 'wrong_length',
  isTokenId: 'invalid_token_id',
};

const PLAIN_TYPES: readonly unknown[] = [undefined, Object, String, Number, Boolean, Array];

const MOST_QUERIES = 200;
const LONGEST_QUERY = 300;

/** Remembers queries without a fault: clients send the same few again and again, and their rules cost more than all else of a short request. */
class CheckedQueries {
  /** By their text, of each class those that were new last. */
  private readonly known = new WeakMap<DtoClass, Map<string, object>>();

  /** @throws DomainError 400 with every fault */
  read(type: DtoClass, query: Plain): object {
    const text = JSON.stringify(query);
    const known = this.known.get(type) ?? new Map<string, object>();
    const before = known.get(text);
    // A copy: what a route adds to it is its own.
    if (before) return Object.assign(new type(), before);
    const dto = checked(readQuery(type, query));
    if (text.length > LONGEST_QUERY) return dto;
    if (known.size >= MOST_QUERIES) known.delete(known.keys().next().value!);
    this.known.set(type, known.set(text, Object.assign({}, dto)));
    return dto;
  }
}

/**
 * Global validation: turns bodies and queries into DTOs, or answers 400 with an error for every invalid field. A body that is declared as
 * an object without a DTO class must only be a JSON object.
 */
@Injectable()
export class RequestPipe implements PipeTransform {
  private readonly queries = new CheckedQueries();

  transform(value: unknown, { type, metatype, data }: ArgumentMetadata): unknown {
    if (type === 'custom') return value;
    if (data !== undefined) return single(data, value);
    const dto = PLAIN_TYPES.includes(metatype) ? null : (metatype as DtoClass);
    if (type === 'body') return dto || metatype === Object ? this.body(dto, value) : value;
    if (type === 'param' && isPlainObject(value)) for (const [name, part] of Object.entries(value)) single(name, part);
    if (!dto) return value;
    return this.queries.read(dto, value as Plain);
  }

  private body(dto: DtoClass | null, value: unknown): unknown {
    const body = value === undefined && dto ? {} : value;
    if (!isPlainObject(body)) throw malformedRequest([{ pointer: '', code: 'wrong_type', message: 'The body must be a JSON object.' }]);
    return dto ? checked(readBody(dto, body)) : body;
  }
}

function single(name: string, value: unknown): unknown {
  if (typeof value === 'string' && value.includes('\0')) throw malformedRequest([nulCharacter(`/${name}`)]);
  return value;
}

function checked({ dto, problems }: ReturnType<typeof readBody>): object {
  if (problems.length > 0) throw malformedRequest(problems);
  return dto;
}
