type Node = Readonly<Record<string, unknown>>;

/** What Swagger 2.0 has no word for is kept as an extension, so that nothing is said that is not so. */
const UNKNOWN_TO_2 = new Set([
  'patternProperties',
  'propertyNames',
  'if',
  'then',
  'else',
  'not',
  'prefixItems',
  'unevaluatedProperties',
  'dependentRequired',
  'contentMediaType',
  'contentEncoding',
  'deprecated',
  'writeOnly',
]);

/** A JSON Schema of OpenAPI 3.1 in the words of Swagger 2.0. */
export function schema2(schema: unknown): Node {
  if (typeof schema !== 'object' || schema === null) return schema === false ? { 'x-never': true } : {};
  const { $ref, ...rest } = schema as Node;
  if (typeof $ref === 'string') {
    const pointer = { $ref: $ref.replace('#/components/schemas/', '#/definitions/') };
    return Object.keys(rest).length === 0 ? pointer : { ...schema2(rest), allOf: [pointer] };
  }
  const out: Record<string, unknown> = Object.assign({}, ...Object.entries(rest).map(([word, value]) => wordOf2(word, value)));
  return out.type === 'array' && out.items === undefined ? { ...out, items: {} } : out;
}

function wordOf2(word: string, value: unknown): Node {
  if (word === 'type' && Array.isArray(value)) return typeOf2(value as string[]);
  if (word === 'const') return { enum: [value] };
  if (word === 'examples') return Array.isArray(value) ? { example: (value as unknown[])[0] } : { 'x-examples': value };
  if (word === 'exclusiveMinimum') return { minimum: value, exclusiveMinimum: true };
  if (word === 'exclusiveMaximum') return { maximum: value, exclusiveMaximum: true };
  if (word === 'properties') return { properties: eachOf(value as Node, schema2) };
  if (word === 'items') return { items: schema2(value) };
  if (word === 'additionalProperties') return { additionalProperties: typeof value === 'boolean' ? value : schema2(value) };
  if (word === 'allOf') return { allOf: (value as unknown[]).map(schema2) };
  if (word === 'oneOf' || word === 'anyOf') return choiceOf2(word, value as readonly Node[]);
  if (word === 'enum') return enumOf2(value as readonly unknown[]);
  return { [UNKNOWN_TO_2.has(word) ? `x-${word}` : word]: value };
}

function typeOf2(types: readonly string[]): Node {
  const named = types.filter((type) => type !== 'null');
  return {
    ...(named.length === 1 ? { type: named[0] } : { 'x-types': named }),
    ...(named.length < types.length && { 'x-nullable': true }),
  };
}

function choiceOf2(word: string, choices: readonly Node[]): Node {
  const named = choices.filter(({ type }) => type !== 'null');
  const nullable = named.length < choices.length && { 'x-nullable': true };
  if (named.length !== 1) return { ...nullable, [`x-${word}`]: named.map(schema2) };
  return { ...(named[0]!.$ref ? { allOf: [schema2(named[0])] } : schema2(named[0])), ...nullable };
}

function enumOf2(values: readonly unknown[]): Node {
  return values.includes(null) ? { enum: values.filter((value) => value !== null), 'x-nullable': true } : { enum: values };
}

export const eachOf = <T>(nodes: Node | undefined, of: (node: unknown, name: string) => T): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(nodes ?? {}).map(([name, node]) => [name, of(node, name)]));
