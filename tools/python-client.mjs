// Writes the operations of the Python client from the service's OpenAPI document: tools/openapi-types.mjs does it with the TypeScript types.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const PYTHON_GENERATED = join(fileURLToPath(new URL('..', import.meta.url)), 'clients/python/src/traceability_client/operations.py');
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
/** Words of Python, which no argument may be named. */
const RESERVED = new Set([
  'from',
  'import',
  'class',
  'def',
  'in',
  'is',
  'not',
  'and',
  'or',
  'if',
  'else',
  'for',
  'while',
  'with',
  'as',
  'global',
]);
/** What HTTP does by itself, and what the client sends. */
const OF_CLIENT = new Set(['accept']);

const HEAD = `"""Every operation of the API. Generated from the OpenAPI document by tools/openapi-types.mjs; a test compares it with the service."""

from typing import Any
from urllib.parse import quote


def _in(value: Any) -> str:
    return quote(str(value), safe="")


class Operations:
    """Arguments of a path and the body come first; filters and headers are named. Answers are decoded JSON, or bytes."""

    def __init__(self, client):
        self._client = client
`;

/** @param {object} document an OpenAPI 3.1 document @returns {string} a Python module */
export function pythonOf({ paths }) {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => ({ path, method, ...item[method] })),
  );
  return HEAD + operations.map(methodOf).join('');
}

function methodOf({ path, method, operationId, summary, parameters = [], requestBody }) {
  const of = (place) => parameters.filter((one) => one.in === place && !OF_CLIENT.has(one.name.toLowerCase()));
  const inPath = new Set(of('path').map(({ name }) => name));
  const named = [...of('query'), ...of('header')].map((one) => ({ ...one, as: nameOf(one.name) + (inPath.has(one.name) ? '_' : '') }));
  const given = (place) =>
    `{${named
      .filter((one) => one.in === place)
      .map(({ name, as }) => `"${name}": ${as}`)
      .join(', ')}}`;
  const args = [
    'self',
    ...of('path').map(({ name }) => `${nameOf(name)}: Any`),
    ...(requestBody ? [requestBody.required === false ? 'body: Any = None' : 'body: Any'] : []),
    ...(named.length > 0 ? ['*', ...named.map(({ as, required }) => `${as}: ${required ? 'Any' : 'Any = None'}`)] : []),
  ];
  const call = [
    `"${method.toUpperCase()}"`,
    `f"${path.replaceAll(/\{(\w+)\}/g, (_, name) => `{_in(${nameOf(name)})}`)}"`.replace(/^f(?=[^{]*$)/, ''),
    ...(of('query').length > 0 ? [`query=${given('query')}`] : []),
    ...(requestBody ? ['body=body'] : []),
    ...(of('header').length > 0 ? [`headers=${given('header')}`] : []),
  ];
  return `
    def ${nameOf(operationId)}(${args.join(', ')}) -> Any:
        """${textOf(summary ?? operationId)}

        ${method.toUpperCase()} ${path}
        """
        return self._client.call(${call.join(', ')})
`;
}

const textOf = (text) => text.replaceAll('\\', '\\\\').replaceAll('"""', "'''").trim();

/** `listNfts` is `list_nfts`, `Idempotency-Key` is `idempotency_key`. */
function nameOf(name) {
  const snake = name
    .replaceAll('-', '_')
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase();
  return RESERVED.has(snake) ? `${snake}_` : snake;
}
