// Writes the client's types from the service's OpenAPI document:
//   npm start, and in another terminal: node tools/openapi-types.mjs http://localhost:3000/openapi.json
// A generator of our own: openapi-typescript does not take this repository's TypeScript.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const GENERATED = join(fileURLToPath(new URL('..', import.meta.url)), 'libs/client/src/generated/api.ts');
const HEAD = '/** Generated from the OpenAPI document by tools/openapi-types.mjs; a test holds it against the service. */\n';
const METHODS = ['get', 'post', 'patch', 'delete'];

/** @param {object} document an OpenAPI 3.1 document @returns {string} TypeScript: an interface a schema, and one of all operations */
export function typesOf(document) {
  const schemas = Object.entries(document.components.schemas).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => operation(`${method.toUpperCase()} ${path}`, item[method])),
  );
  const declared = schemas.map(([name, schema]) => declaration(name, schema));
  return `${HEAD}\n${declared.join('\n')}\nexport interface Operations {\n${operations.toSorted().join('')}}\n`;
}

function declaration(name, schema) {
  if (!schema.properties) return `export type ${name} = ${type(schema, '')};\n`;
  return `export interface ${name} ${type(schema, '')}\n`;
}

function operation(name, { parameters = [], requestBody, responses }) {
  const query = parameters.filter((parameter) => parameter.in === 'query');
  const answer = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
  const asked = query.map(({ name: key, required, schema }) => `${property(key)}${required ? '' : '?'}: ${type(schema ?? {}, '')}`);
  const parts = [
    `query: ${asked.length === 0 ? 'Record<string, never>' : `{ ${asked.join('; ')} }`}`,
    `body: ${content(requestBody)}`,
    `answer: ${content(answer)}`,
  ];
  return `  '${name}': { ${parts.join('; ')} };\n`;
}

function content(holder) {
  const types = Object.entries(holder?.content ?? {});
  const [, json] = types.find(([media]) => media.includes('json')) ?? types[0] ?? [];
  return json ? type(json.schema ?? {}, '') : 'undefined';
}

function type(schema, indent) {
  if (schema.$ref) return schema.$ref.split('/').at(-1);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value).replaceAll('"', "'")).join(' | ');
  for (const many of ['anyOf', 'oneOf']) if (schema[many]) return union(schema[many].map((one) => type(one, indent)));
  if (schema.allOf) return schema.allOf.map((one) => type(one, indent)).join(' & ');
  if (Array.isArray(schema.type)) return union(schema.type.map((one) => type({ ...schema, type: one }, indent)));
  if (schema.type === 'array') return `readonly ${listItem(type(schema.items ?? {}, indent))}[]`;
  if (schema.properties) return object(schema, indent);
  if (schema.type === 'object') return 'Readonly<Record<string, unknown>>';
  return { integer: 'number', number: 'number', string: 'string', boolean: 'boolean', null: 'null' }[schema.type] ?? 'unknown';
}

const union = (types) => [...new Set(types)].join(' | ');
const listItem = (item) => (/ [|&] /.test(item) && !item.startsWith('{') ? `(${item})` : item);
const property = (key) => (/^[A-Za-z_]\w*$/.test(key) ? key : `'${key}'`);

function object({ properties, required = [] }, indent) {
  const lines = Object.entries(properties).map(
    ([key, schema]) => `${indent}  readonly ${property(key)}${required.includes(key) ? '' : '?'}: ${type(schema, `${indent}  `)};\n`,
  );
  return `{\n${lines.join('')}${indent}}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const answer = await fetch(process.argv[2] ?? 'http://localhost:3000/openapi.json');
  writeFileSync(GENERATED, typesOf(await answer.json()));
}
