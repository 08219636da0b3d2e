import { type Hex, LotKey, type Problem, ZERO_BYTES32, invalidContent, isChecksumAddress, keccakOf, readInstant, toMicro } from '#kernel';
import { type Method, type Parameter, plainName } from './contract-method.js';

/** "All that is left", of a lot without a quantity too. */
const ALL = (1n << 256n) - 1n;

/** docs/spec/service.md#generic-transaction with the additions of docs/spec/api.md#events-and-transactions. */
export interface GenericInput {
  readonly method: string;
  readonly processId: string;
  readonly inputTokenIds?: readonly (number | string)[] | null;
  readonly outputs?: readonly object[] | null;
  readonly containmentMode?: number | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly from?: string | null;
}

/** Arguments without a field in the request: `metadata.args`, by name. @throws DomainError 422 when it is no object */
export function namedArgs(metadata: GenericInput['metadata']): Readonly<Record<string, unknown>> {
  const args = metadata['args'] ?? {};
  if (typeof args === 'object' && !Array.isArray(args)) return args as Readonly<Record<string, unknown>>;
  throw invalidContent([{ pointer: '/metadata/args', code: 'wrong_type', message: 'must be an object: arguments by name' }]);
}

/** Metadata without the call's arguments: what is stored by content. */
export const storedMetadata = (metadata: GenericInput['metadata']): Readonly<Record<string, unknown>> => without(metadata, 'args');

interface GivenValue {
  readonly value: unknown;
  readonly pointer: string;
}

/**
 * The call's arguments, by the names of the contract and in its order: fields of the request first, the rest from
 * `metadata.args`. Quantities are decimals of the lot's own unit and become millionths, `"all"` is all that is left;
 * times may be ISO 8601. `dataHash` and `e` (an attached event) are filled in here.
 * Types are checked where the call is encoded.
 * @throws DomainError 422 `invalid_content`: missing, unknown or given twice, with the parameter's name and type
 */
export function callArguments(method: Method, input: GenericInput, dataHash: Hex): Readonly<Record<string, unknown>> {
  const given = givenArguments(method, input);
  const problems = unknownArguments(method, input);
  const args: Record<string, unknown> = {};
  for (const parameter of method.inputs) {
    const found = given.get(plainName(parameter.name));
    if (found) args[parameter.name] = converted(parameter, found, problems);
    else if (plainName(parameter.name) === 'dataHash') args[parameter.name] = dataHash;
    else if (parameter.name === 'e') args[parameter.name] = { eventId: ZERO_BYTES32, processId: ZERO_BYTES32, dataHash };
    else problems.push(missing(method, parameter));
  }
  if (problems.length > 0) throw invalidContent(problems);
  return args;
}

function givenArguments(method: Method, input: GenericInput): Map<string, GivenValue> {
  const given = new Map<string, GivenValue>();
  for (const [name, value] of Object.entries(namedArgs(input.metadata)))
    given.set(plainName(name), { value, pointer: `/metadata/args/${name}` });
  const field = (name: string, value: unknown, pointer: string): void => {
    if (value !== undefined && value !== null) given.set(name, { value, pointer });
  };
  const listName = ['inputTokenIds', 'tokenIds'].find((name) => method.inputs.some((parameter) => parameter.name === name));
  if (listName) field(listName, input.inputTokenIds, '/inputTokenIds');
  else if (input.inputTokenIds?.length === 1) field('tokenId', input.inputTokenIds[0], '/inputTokenIds/0');
  field('outputs', input.outputs, '/outputs');
  field('containmentMode', input.containmentMode, '/containmentMode');
  return given;
}

/** Arguments that the method does not have: a typo must not become a default. */
function unknownArguments(method: Method, input: GenericInput): Problem[] {
  const known = new Set(method.inputs.map((parameter) => plainName(parameter.name)));
  const signature = method.inputs.map(({ name, type }) => `${plainName(name)}: ${type}`).join(', ') || 'no arguments';
  const unknown = (pointer: string): Problem => ({ pointer, code: 'unknown_argument', message: `${method.name} takes ${signature}` });
  const named = Object.keys(namedArgs(input.metadata)).filter((name) => !known.has(plainName(name)));
  const takesLots =
    known.has('inputTokenIds') || known.has('tokenIds') || (known.has('tokenId') && (input.inputTokenIds?.length ?? 0) <= 1);
  return [
    ...named.map((name) => unknown(`/metadata/args/${name}`)),
    ...(!takesLots && input.inputTokenIds?.length ? [unknown('/inputTokenIds')] : []),
    ...(!known.has('outputs') && input.outputs?.length ? [unknown('/outputs')] : []),
    ...(!known.has('containmentMode') && input.containmentMode ? [unknown('/containmentMode')] : []),
    ...givenTwice(method, input),
  ];
}

function givenTwice(method: Method, input: GenericInput): Problem[] {
  const named = namedArgs(input.metadata);
  const lots = ['inputTokenIds', 'tokenIds', 'tokenId'].filter((name) => name in named && input.inputTokenIds?.length);
  const others = (['outputs', 'containmentMode'] as const).filter((name) => name in named && (input[name] ?? null) !== null);
  return [...lots, ...others].map((name) => ({
    pointer: `/metadata/args/${name}`,
    code: 'given_twice',
    message: `${method.name}: ${name} is a field of the request already`,
  }));
}

const missing = (method: Method, { name, type }: Parameter): Problem => ({
  pointer: `/metadata/args/${plainName(name)}`,
  code: 'missing_argument',
  message: `${method.name} needs ${plainName(name)}: ${type}`,
});

function converted(parameter: Parameter, { value, pointer }: GivenValue, problems: Problem[]): unknown {
  const name = plainName(parameter.name);
  if (parameter.type.endsWith('[]') && Array.isArray(value)) {
    const item = { ...parameter, type: parameter.type.slice(0, -2) };
    return value.map((each, i) => converted(item, { value: each, pointer: `${pointer}/${i}` }, problems));
  }
  if (parameter.type === 'tuple') return struct(parameter, { value, pointer }, problems);
  const wrong = (expected: string): unknown => {
    problems.push({ pointer, code: 'invalid_argument', message: `${name}: ${parameter.type} takes ${expected}` });
    return value;
  };
  if (parameter.type === 'address') return isChecksumAddress(value) ? value : wrong('an address with its EIP-55 checksum');
  if (QUANTITIES.has(name)) return quantity(value) ?? wrong('a decimal quantity with at most six places, 0, or "all"');
  if (TIMES.has(name) && typeof value === 'string' && !/^\d+$/.test(value))
    return seconds(value) ?? wrong('seconds since 1970 or an ISO 8601 time with its zone');
  return value;
}

const QUANTITIES = new Set(['quantity', 'quantities', 'inputQuantities', 'consumed']);
const TIMES = new Set(['until', 'expiresAt']);

function quantity(value: unknown): bigint | null {
  if (value === 'all') return ALL;
  if (typeof value !== 'number' && !(typeof value === 'string' && /^\d{1,16}([.]\d{1,6})?$/.test(value))) return null;
  return Number(value) === 0 ? 0n : Number.isFinite(Number(value)) && Number(value) > 0 ? toMicro(value) : null;
}

function seconds(value: string): bigint | null {
  const time = readInstant(value);
  return time instanceof Date ? BigInt(Math.floor(time.getTime() / 1000)) : null;
}

/** Structs by field name. An output may be written as the API writes it, with codes in the place of hashes. */
function struct(parameter: Parameter, { value, pointer }: GivenValue, problems: Problem[]): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    problems.push({ pointer, code: 'invalid_argument', message: `takes an object with ${fieldsOf(parameter)}` });
    return value;
  }
  const fields = isOutput(parameter) ? outputStruct(value as Record<string, unknown>) : (value as Record<string, unknown>);
  const known = new Map(parameter.components!.map((component) => [component.name, component]));
  for (const name of Object.keys(fields))
    if (!known.has(name))
      problems.push({ pointer: `${pointer}/${name}`, code: 'unknown_argument', message: `takes ${fieldsOf(parameter)}` });
  return Object.fromEntries(
    [...known].map(([name, component]) => {
      if (fields[name] === undefined)
        problems.push({ pointer: `${pointer}/${name}`, code: 'missing_argument', message: `needs ${name}: ${component.type}` });
      return [
        name,
        fields[name] === undefined ? null : converted(component, { value: fields[name], pointer: `${pointer}/${name}` }, problems),
      ];
    }),
  );
}

const fieldsOf = (parameter: Parameter): string => parameter.components!.map(({ name, type }) => `${name}: ${type}`).join(', ');
const isOutput = (parameter: Parameter): boolean => parameter.components!.some(({ name }) => name === 'tlcHash');

/** `{ tlc, gtin?, serial?, assetType, custodian, quantity?, uom?, expiresAt? }` of docs/spec/api.md#events-and-transactions → the contract's struct. */
function outputStruct(output: Record<string, unknown>): Record<string, unknown> {
  const { tlc, gtin, serial, assetType } = output;
  return {
    quantity: 0,
    expiresAt: 0,
    ...without(output, 'tlc', 'gtin', 'serial', 'uom'),
    ...(typeof tlc === 'string' && { tlcHash: hashOf(tlc, textIn(gtin), textIn(serial)) }),
    ...(typeof assetType === 'string' && !/^0x[0-9a-f]{64}$/i.test(assetType) && { assetType: keccakOf(assetType) }),
  };
}

const textIn = (value: unknown): string | null => (typeof value === 'string' ? value : null);
/** An SSCC is a container's; a code may be given as the Digital Link of a key. */
const hashOf = (tlc: string, gtin: string | null, serial: string | null): Hex =>
  (LotKey.read(tlc) ?? LotKey.of({ tlc, gtin, serial })).hash;

/**
 * A process that is named inside a struct (an attached event, an event to void) must be that of the request, whose scope was checked. @throws DomainError 422 `invalid_content`
 */
export function requireSameProcess(args: Readonly<Record<string, unknown>>, processId: string): void {
  const errors = Object.entries(args).flatMap(([name, value]): Problem[] => {
    const inner = (value as { readonly processId?: unknown } | null)?.processId;
    if (inner === undefined || (typeof inner === 'string' && inner.toLowerCase() === processId.toLowerCase())) return [];
    return [
      { pointer: `/metadata/args/${plainName(name)}/processId`, code: 'process_mismatch', message: 'must be the processId of the request' },
    ];
  });
  if (errors.length > 0) throw invalidContent(errors);
}

const FIELDS: Readonly<Record<string, 'inputTokenIds' | 'outputs' | 'containmentMode'>> = {
  inputTokenIds: 'inputTokenIds',
  tokenIds: 'inputTokenIds',
  outputs: 'outputs',
  containmentMode: 'containmentMode',
};

/** The encoder points at `/args/<name>`; the caller wrote it in a field or in `metadata.args`. */
export function inRequest(pointer: string, input: GenericInput): string {
  const [, name = '', rest = ''] = /^\/args\/([^/]+)(.*)$/.exec(pointer) ?? [];
  if (name === '') return pointer;
  const field = FIELDS[name];
  if (field && (input[field] ?? null) !== null) return `/${field}${rest}`;
  if (name === 'tokenId' && input.inputTokenIds?.length) return '/inputTokenIds/0';
  return `/metadata/args/${plainName(name)}${rest}`;
}

const without = (object: Readonly<Record<string, unknown>>, ...names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
