import type { OpenAPIObject } from '@nestjs/swagger';

type Node = Readonly<Record<string, unknown>>;
type Named = Readonly<Record<string, Node>>;

/**
 * The same document as Swagger 2.0, which docs/spec/service.md#limits requires. What 2.0 cannot express (alternative schemas, null as a
 * type) is in `x-` extensions.
 * @param at address of the request
 */
export function swagger2(document: OpenAPIObject, at: { readonly host: string; readonly protocol: string }): object {
  const { title, version, description } = document.info;
  const { schemas = {}, headers = {}, securitySchemes = {} } = document.components as Readonly<Record<string, Named>>;
  const known = { schemas, headers };
  return {
    swagger: '2.0',
    info: { title, version, description },
    host: at.host,
    basePath: '/',
    schemes: [at.protocol.replace(':', '')],
    consumes: ['application/json'],
    produces: ['application/json', 'application/problem+json'],
    paths: eachOf(document.paths, (item) => eachOf(item as Node, (operation) => operation2(operation as Node, known))),
    definitions: eachOf(schemas, schema2),
    securityDefinitions: eachOf(securitySchemes, (scheme) => security2(scheme as Node)),
  };
}

interface Definitions {
  readonly schemas: Named;
  readonly headers: Named;
}

function operation2(operation: Node, known: Definitions): Node {
  const { requestBody, responses, parameters = [], deprecated, ...rest } = operation;
  const types = new Set(Object.values(responses as Named).flatMap(({ content }) => Object.keys(content ?? {})));
  const body = requestBody as { readonly content: Named; readonly required?: boolean } | undefined;
  return {
    ...rest,
    ...(deprecated !== undefined && { deprecated }),
    ...(body && { consumes: Object.keys(body.content) }),
    produces: [...types],
    parameters: [...(parameters as readonly Node[]).map((parameter) => parameter2(parameter, known)), ...(body ? [body2(body)] : [])],
    responses: eachOf(responses as Node, (response) => response2(response as Node, known)),
  };
}

const body2 = ({ content, required }: { readonly content: Named; readonly required?: boolean }): Node => ({
  name: 'body',
  in: 'body',
  required: required === true,
  schema: schema2((content['application/json'] ?? Object.values(content)[0])?.schema),
});

/** Keywords that a parameter or header may have in 2.0, which has no schemas there. */
const PLAIN =
  'type format items default maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems minItems uniqueItems enum multipleOf'.split(
    ' ',
  );

function plain(schema: unknown, { schemas }: Definitions): Record<string, unknown> {
  let node = (schema ?? {}) as Node;
  while (typeof node.$ref === 'string') node = schemas[node.$ref.split('/').at(-1)!] ?? {};
  const words = Object.fromEntries(Object.entries(schema2(node)).filter(([word]) => PLAIN.includes(word)));
  // In a URL, a value with several types is a text.
  if (typeof words.type !== 'string' || words.type === 'object') return { type: 'string' };
  return words.type === 'array' ? { ...words, items: plain((node as { items?: unknown }).items, { schemas, headers: {} }) } : words;
}

function parameter2({ schema, name, in: place, required, description }: Node, known: Definitions): Node {
  const words = plain(schema, known);
  return {
    name,
    in: place,
    required: place === 'path' || required === true,
    ...(description !== undefined && { description }),
    ...words,
    ...(words.type === 'array' && { collectionFormat: 'multi' }),
  };
}

function response2({ description, content, headers }: Node, known: Definitions): Node {
  const media = Object.entries((content ?? {}) as Named);
  const schema = (media.find(([type]) => type === 'application/json') ?? media[0])?.[1].schema;
  const examples = media.flatMap(([type, { example, examples: named }]) => {
    const first = example ?? Object.values((named ?? {}) as Named)[0]?.value;
    return first === undefined ? [] : [[type, first] as const];
  });
  return {
    description: description ?? '',
    ...(schema !== undefined && { schema: schema2(schema) }),
    ...(examples.length > 0 && { examples: Object.fromEntries(examples) }),
    ...(headers !== undefined && { headers: eachOf(headers as Node, (header) => header2(header as Node, known)) }),
  };
}

function header2(header: Node, known: Definitions): Node {
  const { description, schema } = typeof header.$ref === 'string' ? (known.headers[header.$ref.split('/').at(-1)!] ?? {}) : header;
  return { ...(description !== undefined && { description }), ...plain(schema, known) };
}

function security2({ type, scheme, name, in: place }: Node): Node {
  if (type === 'apiKey') return { type, name, in: place };
  return { type: 'apiKey', name: 'Authorization', in: 'header', description: 'Send "Bearer <token>".', 'x-http-scheme': scheme };
}

/** Keywords that do not exist in Swagger 2.0 become extensions, so that the document stays correct. */
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

/** Converts a JSON Schema of OpenAPI 3.1 to Swagger 2.0. */
function schema2(schema: unknown): Node {
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

const eachOf = <T>(nodes: Node | undefined, of: (node: unknown, name: string) => T): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(nodes ?? {}).map(([name, node]) => [name, of(node, name)]));
