import { type ValidationError, validateSync } from 'class-validator';
import { type Problem, escapePointer } from '#kernel';
import { loneSurrogate, nulCharacter } from '../errors/refusals.js';
import { type DtoClass, type FieldShape, fieldsOf } from './shape.js';

type Plain = Readonly<Record<string, unknown>>;

export const isPlainObject = (value: unknown): value is Plain => typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * A request's JSON as an instance of its DTO class, with everything that is wrong with it.
 * class-transformer is passed by: it copies free-form objects, and a member named `constructor` in one makes it throw.
 */
export function readBody(type: DtoClass, body: Plain): { readonly dto: object; readonly problems: readonly Problem[] } {
  const structural: Problem[] = [];
  const dto = instance(type, body, '', structural);
  const spoiled = (pointer: string): boolean =>
    structural.some((fault) => pointer === fault.pointer || pointer.startsWith(`${fault.pointer}/`));
  return { dto, problems: [...structural, ...ruleProblems(type, dto).filter(({ pointer }) => !spoiled(pointer))] };
}

/** Unknown query parameters are passed over (api-decisions §1); numbers and flags are read from their text. */
export function readQuery(type: DtoClass, query: Plain): { readonly dto: object; readonly problems: readonly Problem[] } {
  const dto = new type() as Record<string, unknown>;
  for (const [name, shape] of fieldsOf(type)) if (Object.hasOwn(query, name)) dto[name] = fromText(shape, query[name]);
  const faults = Object.entries(dto).flatMap(([name, value]) => textFaults(value, `/${escapePointer(name)}`));
  return { dto, problems: faults.length > 0 ? faults : ruleProblems(type, dto) };
}

function instance(type: DtoClass, plain: Plain, pointer: string, problems: Problem[]): object {
  const fields = fieldsOf(type);
  const dto = new type() as Record<string, unknown>;
  for (const [key, value] of Object.entries(plain)) {
    const at = `${pointer}/${escapePointer(key)}`;
    const shape = fields.get(key);
    if (!shape) problems.push({ pointer: at, code: 'unknown_field', message: `${key} is not a field of this request.` });
    else {
      problems.push(...textFaults(value, at));
      dto[key] = shape.nested ? nested(shape.nested(), value, at, problems) : value;
    }
  }
  return dto;
}

/** Of a text or of the texts of a list; free-form objects are judged by whoever keeps them. */
function textFaults(value: unknown, pointer: string): Problem[] {
  if (Array.isArray(value)) return value.flatMap((item, i) => (typeof item === 'string' ? textFaults(item, `${pointer}/${i}`) : []));
  if (typeof value !== 'string') return [];
  return [...(value.includes('\0') ? [nulCharacter(pointer)] : []), ...(/\p{Surrogate}/u.test(value) ? [loneSurrogate(pointer)] : [])];
}

function nested(type: DtoClass, value: unknown, pointer: string, problems: Problem[]): unknown {
  if (isPlainObject(value)) return instance(type, value, pointer, problems);
  if (!Array.isArray(value)) return value;
  return value.map((item: unknown, i) => {
    if (isPlainObject(item)) return instance(type, item, `${pointer}/${i}`, problems);
    problems.push({ pointer: `${pointer}/${i}`, code: 'wrong_type', message: `${pointer}/${i} must be an object.` });
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

/** One problem a field: the first rule it breaks says enough (reliability-decisions §5). */
function problemsIn(type: DtoClass | null, error: ValidationError, pointer: string): Problem[] {
  const at = `${pointer}/${escapePointer(error.property)}`;
  const shape = type && fieldsOf(type).get(error.property);
  const children = (error.children ?? []).flatMap((child) =>
    // Children of a list are named by their index; theirs are fields of the same class.
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
