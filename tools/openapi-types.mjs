// Writes the types of the TypeScript client, with openapi-typescript, and the operations of the Python client, from the service's OpenAPI document:
//   npm start, and in another terminal: node tools/openapi-types.mjs http://localhost:3000/openapi.json
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';
import { PYTHON_GENERATED, pythonOf } from './python-client.mjs';

export const GENERATED = join(fileURLToPath(new URL('..', import.meta.url)), 'libs/client/src/generated/api.ts');
const HEAD = '/** Generated from the OpenAPI document by tools/openapi-types.mjs. A test compares it with the service. */\n';
const OPTIONS = {
  immutable: true,
  emptyObjectsUnknown: true,
  defaultNonNullable: false,
  rootTypes: true,
  rootTypesNoSchemaPrefix: true,
  rootTypesKeepCasing: true,
};

/** @param {object} document an OpenAPI 3.1 document @returns {Promise<string>} TypeScript: paths, components, and a type per schema */
export async function typesOf(document) {
  return HEAD + astToString(await openapiTS(relevantPart(document), OPTIONS));
}

/** Successful answers only: every error has the shape of `Problem`, and 200 operations with ten errors each would be a megabyte of types. */
function relevantPart({ openapi, info, paths, components }) {
  const operations = Object.entries(paths).map(([path, item]) => [path, mapValues(item, withAnswers)]);
  return { openapi, info, paths: Object.fromEntries(operations), components: { schemas: components.schemas } };
}

const withAnswers = ({ parameters, requestBody, responses }) => ({
  parameters,
  requestBody,
  responses: mapValues(Object.fromEntries(Object.entries(responses).filter(([status]) => status.startsWith('2'))), withoutHeaders),
});
const withoutHeaders = ({ description, content }) => ({ description, content });
const mapValues = (object, of) => Object.fromEntries(Object.entries(object).map(([key, value]) => [key, of(value)]));

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const response = await fetch(process.argv[2] ?? 'http://localhost:3000/openapi.json');
  const document = await response.json();
  writeFileSync(GENERATED, await typesOf(document));
  writeFileSync(PYTHON_GENERATED, pythonOf(document));
}
