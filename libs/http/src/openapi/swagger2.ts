import type { OpenAPIObject } from '@nestjs/swagger';
import { eachOf, schema2 } from './swagger2-schema.js';

type Node = Readonly<Record<string, unknown>>;
type Named = Readonly<Record<string, Node>>;

/**
 * The same description as Swagger 2.0, which service-spec §8 names. What it has no words for (choices of schemas, null as a
 * type) stands in `x-` extensions.
 * @param at where the request was sent to
 */
export function swagger2(document: OpenAPIObject, at: { readonly host: string; readonly scheme: string }): object {
  const { title, version, description } = document.info;
  const { schemas = {}, headers = {}, securitySchemes = {} } = document.components as Readonly<Record<string, Named>>;
  const known = { schemas, headers };
  return {
    swagger: '2.0',
    info: { title, version, description },
    host: at.host,
    basePath: '/',
    schemes: [at.scheme],
    consumes: ['application/json'],
    produces: ['application/json', 'application/problem+json'],
    paths: eachOf(document.paths, (item) => eachOf(item as Node, (operation) => operation2(operation as Node, known))),
    definitions: eachOf(schemas, schema2),
    securityDefinitions: eachOf(securitySchemes, (scheme) => security2(scheme as Node)),
  };
}

interface Known {
  readonly schemas: Named;
  readonly headers: Named;
}

function operation2(operation: Node, known: Known): Node {
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

/** The words that a parameter or header of 2.0 may have: it knows no schemas there. */
const PLAIN =
  'type format items default maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems minItems uniqueItems enum multipleOf'.split(
    ' ',
  );

function plain(schema: unknown, { schemas }: Known): Record<string, unknown> {
  let node = (schema ?? {}) as Node;
  while (typeof node.$ref === 'string') node = schemas[node.$ref.split('/').at(-1)!] ?? {};
  const words = Object.fromEntries(Object.entries(schema2(node)).filter(([word]) => PLAIN.includes(word)));
  // Whatever has more than one form is text in a URL.
  if (typeof words.type !== 'string' || words.type === 'object') return { type: 'string' };
  return words.type === 'array' ? { ...words, items: plain((node as { items?: unknown }).items, { schemas, headers: {} }) } : words;
}

function parameter2({ schema, name, in: place, required, description }: Node, known: Known): Node {
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

function response2({ description, content, headers }: Node, known: Known): Node {
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

function header2(header: Node, known: Known): Node {
  const { description, schema } = typeof header.$ref === 'string' ? (known.headers[header.$ref.split('/').at(-1)!] ?? {}) : header;
  return { ...(description !== undefined && { description }), ...plain(schema, known) };
}

function security2({ type, scheme, name, in: place }: Node): Node {
  if (type === 'apiKey') return { type, name, in: place };
  return { type: 'apiKey', name: 'Authorization', in: 'header', description: 'Send "Bearer <token>".', 'x-http-scheme': scheme };
}
