import { processMapTemplate } from '#traceability';

export type Json = Record<string, any>;

/** Something that a tenant can publish and send, made to take long. */
export interface Attack {
  readonly schema: Json | boolean;
  readonly tlc?: Json;
  readonly metadata: () => Json;
  readonly outputTlc?: string;
  /** Codes of the errors; none: it is valid. */
  readonly says: readonly string[];
}

const rice = processMapTemplate('rice');

/** The rice map with one process, whose schema is another one. */
export const mapOf = ({ schema, tlc }: Pick<Attack, 'schema' | 'tlc'>): Json => ({
  ...structuredClone(rice),
  key: 'attack',
  processes: {
    ATTACK: { ...structuredClone(rice.processes['RICE_HARVESTING']!), label: 'Attack', tlc: tlc ?? {}, metadataSchema: schema },
  },
});

const times = <T>(length: number, make: (i: number) => T): T[] => Array.from({ length }, (_, i) => make(i));
const listOf = (items: Json): Json => ({ properties: { list: { type: 'array', items } } });
const ones = (length: number) => () => ({ list: times(length, () => 1) });
const objectOf = <T>(length: number, name: (i: number) => string, value: (i: number) => T): Record<string, T> =>
  Object.fromEntries(times(length, (i) => [name(i), value(i)]));

export const ATTACKS: Readonly<Record<string, Attack>> = {
  'a pattern that backtracks without end': {
    schema: { properties: { x: { type: 'string', pattern: '^(a|a)*$' } } },
    metadata: () => ({ x: `${'a'.repeat(28)}!` }),
    says: ['pattern_mismatch'],
  },
  'nested repetitions on a long text': {
    schema: listOf({ type: 'string', pattern: '^(?:[a-z]+)+$' }),
    metadata: () => ({ list: times(50, () => `${'a'.repeat(4000)}!`) }),
    says: ['pattern_mismatch'],
  },
  'name patterns that backtrack without end': {
    schema: {
      properties: { x: { type: 'object', patternProperties: { '^(a+)+$': { type: 'number' }, '^(a|b|ab)*c$': { type: 'number' } } } },
    },
    metadata: () => ({
      x: objectOf(
        40,
        (i) => `${'ab'.repeat(1500)}${i}!`,
        () => 'x',
      ),
    }),
    says: [],
  },
  'patterns for names': {
    schema: { properties: { x: { type: 'object', propertyNames: { pattern: '^(?:[a-z]{1,30}_?){20}$' } } } },
    metadata: () => ({
      x: objectOf(
        10_000,
        (i) => `${'ab'.repeat(5)}${i}`,
        () => 1,
      ),
    }),
    says: ['validation_too_long'],
  },
  'a pattern for codes that backtracks without end': {
    schema: true,
    tlc: { pattern: '^(A|A)*$' },
    metadata: () => ({}),
    outputTlc: `${'A'.repeat(60)}-`,
    says: ['tlc_pattern_mismatch'],
  },
  '700 parts for each of 125,000 numbers': {
    schema: listOf({ type: 'number', allOf: times(700, (i) => ({ maximum: 1000 + i })) }),
    metadata: ones(125_000),
    says: ['validation_too_long'],
  },
  'many alternatives for each of many values': {
    schema: listOf({ anyOf: times(300, (i) => ({ const: `x${i}` })) }),
    metadata: ones(60_000),
    says: ['validation_too_long'],
  },
  'a long enumeration for each of many values': {
    schema: listOf({ enum: times(5000, (i) => `x${i}`) }),
    metadata: ones(20_000),
    says: ['validation_too_long'],
  },
  'objects to compare with each of many objects': {
    schema: listOf({ not: { const: { x: times(2000, () => 1) } } }),
    metadata: () => ({ list: times(40, () => ({ x: times(2000, () => 1) })) }),
    says: ['invalid'],
  },
  'many objects that must differ': {
    schema: { properties: { list: { type: 'array', uniqueItems: true } } },
    metadata: () => ({ list: times(15_000, (i) => ({ a: i })) }),
    says: [],
  },
  'objects that must differ at every level': {
    schema: { properties: { list: { allOf: times(300, () => ({ type: 'array', uniqueItems: true })) } } },
    metadata: () => ({ list: times(15_000, (i) => ({ a: i })) }),
    says: ['validation_too_long'],
  },
  'many things to contain': {
    schema: {
      properties: { list: { type: 'array', allOf: times(100, (i) => ({ contains: { const: i + 2 }, minContains: 0, maxContains: 5 })) } },
    },
    metadata: ones(100_000),
    says: ['validation_too_long'],
  },
  'unevaluated members under many conditions': {
    schema: {
      properties: {
        x: {
          type: 'object',
          anyOf: times(200, (i) => ({ properties: { [`p${i}`]: { type: 'number' } }, required: [`p${i}`] })),
          unevaluatedProperties: { type: 'number' },
        },
      },
    },
    metadata: () => ({
      x: objectOf(
        15_000,
        (i) => `p${i}`,
        () => 1,
      ),
    }),
    says: [],
  },
  'multiples of a tiny number': {
    schema: listOf({ type: 'number', multipleOf: 1e-300 }),
    metadata: () => ({ list: times(60_000, () => 7) }),
    says: ['invalid'],
  },
  'formats with slow expressions': {
    schema: listOf({ type: 'string', anyOf: [{ format: 'email' }, { format: 'url' }, { format: 'hostname' }] }),
    metadata: () => ({ list: times(100, (i) => (i % 2 ? `a@${'a-'.repeat(500)}` : `http://${':'.repeat(1000)}`)) }),
    says: ['no_form_fits'],
  },
  'references that are used for each of many values': {
    schema: {
      $defs: { a: { type: 'number' }, b: { allOf: times(40, () => ({ $ref: '#/$defs/a' })) } },
      ...listOf({ allOf: times(40, () => ({ $ref: '#/$defs/b' })) }),
    },
    metadata: ones(60_000),
    says: ['validation_too_long'],
  },
  'many errors': { schema: listOf({ type: 'string' }), metadata: ones(100_000), says: ['wrong_type'] },
  'many alternatives that all fail': {
    schema: listOf({ anyOf: times(40, (i) => ({ type: 'string', minLength: i })) }),
    metadata: ones(4000),
    says: ['wrong_type', 'no_form_fits'],
  },
  'many names that are nearly known ones': {
    schema: {
      properties: objectOf(
        2000,
        (i) => `name_${String(i).padStart(6, '0')}`,
        () => ({}),
      ),
    },
    metadata: () =>
      objectOf(
        6000,
        (i) => `nam_${String(i + 100_000)}`,
        () => 1,
      ),
    says: [],
  },
  'long names that are nearly the same': {
    schema: { properties: { [`${'n'.repeat(100_000)}x`]: {} } },
    metadata: () => ({ [`${'n'.repeat(100_000)}y`]: 1 }),
    says: [],
  },
  'thousands of wrong identifiers': {
    schema: true,
    metadata: () => ({ list: times(9000, () => ({ gln: '9520000100031' })) }),
    says: ['wrong_check_digit'],
  },
};

const wide = (parts: number): Json => ({ type: 'number', allOf: times(parts, () => ({ minimum: 0 })) });
/** A map of five processes with the same schema. */
const sharing = (parts: number): Json => {
  const map = mapOf({ schema: { properties: { x: { $ref: '#/$defs/wide' } } } });
  const process = (map['processes'] as Json)['ATTACK'];
  return {
    ...map,
    $defs: { wide: wide(parts) },
    processes: objectOf(
      5,
      (i) => `P_${i}`,
      () => process,
    ),
  };
};
const attackWith = (schema: Json): Json => mapOf({ schema });

export const COSTLY_MAPS: Readonly<Record<string, { readonly map: () => Json; readonly says: readonly string[] }>> = {
  'five processes that share 9,000 parts': {
    map: () => sharing(9000),
    says: ['schema_too_costly'],
  },
  'five processes that share 4,500 parts': {
    map: () => sharing(4500),
    says: ['schema_too_costly'],
  },
  'definitions that double at every level': {
    map: () => {
      const defs = objectOf<Json>(
        30,
        (i) => `d${i}`,
        (i) => ({ anyOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] }),
      );
      return attackWith({ $defs: { ...defs, d30: { type: 'string' } }, properties: { x: { $ref: '#/$defs/d0' } } });
    },
    says: ['schema_too_costly'],
  },
  'a definition that refers back to itself': {
    map: () => attackWith({ $defs: { loop: { items: { $ref: '#/$defs/loop' } } }, properties: { x: { $ref: '#/$defs/loop' } } }),
    says: ['recursive_schema'],
  },
  'a thousand patterns of a thousand instructions': {
    map: () =>
      attackWith({
        properties: objectOf(
          1000,
          (i) => `p${i}`,
          (i) => ({ type: 'string', pattern: `^(?:[a-z]{1,30}${i}){30}$` }),
        ),
      }),
    says: ['schema_too_costly'],
  },
  '80,000 empty objects': {
    map: () => ({ ...attackWith({}), $defs: { wide: { examples: times(80_000, () => ({})) } } }),
    says: ['too_large'],
  },
  'seven hundred thousand letters': {
    map: () => ({ ...attackWith({}), $defs: { long: { $comment: 'a'.repeat(700_000) } } }),
    says: ['too_large'],
  },
  'a pattern that looks ahead': {
    map: () => attackWith({ properties: { x: { type: 'string', pattern: '^(?=(a+)+$)' } } }),
    says: ['pattern_not_linear'],
  },
  'a pattern that refers back': {
    map: () => attackWith({ properties: { x: { type: 'string', pattern: String.raw`^(a*)*\1$` } } }),
    says: ['pattern_not_linear'],
  },
};
