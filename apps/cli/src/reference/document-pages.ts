/** The parts of an OpenAPI document that the pages show. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
}
interface ApiOperation {
  readonly summary?: string;
  readonly deprecated?: boolean;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly examples?: Readonly<Record<string, Example>> }>> }>
  >;
}
interface Example {
  readonly summary?: string;
  readonly value?: { readonly detail?: string };
}

const GENERATED = '<!-- Generated from the OpenAPI document by `npm run cli -- reference --base-url <url>`; a test compares them. -->';

interface Route {
  readonly name: string;
  readonly operation: ApiOperation;
}

const routesOf = ({ paths }: ApiDocument): readonly Route[] =>
  Object.entries(paths)
    .flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })))
    .toSorted((a, b) => compare(a.path, b.path) || compare(a.method, b.method))
    .map(({ path, method, operation }) => ({ name: `${method.toUpperCase()} ${path}`, operation }));

/** Every route, what it does and which credential it needs. */
export const routesPage = (document: ApiDocument): string =>
  [
    '# Routes',
    '',
    GENERATED,
    '',
    'Parameters, bodies, answers and their examples: `/docs` of a running service, `/openapi.json`. Every refusal: [errors](errors.md).',
    '',
    '| route | does | credential |',
    '|---|---|---|',
    ...routesOf(document).map(
      ({ name, operation }) =>
        `| \`${name}\` | ${cell(operation.summary ?? '')}${operation.deprecated ? ' (deprecated)' : ''} | ${credentialOf(operation)} |`,
    ),
    '',
  ].join('\n');

const credentialOf = ({ security = [] }: ApiOperation): string =>
  security.map((one) => Object.keys(one).join(' and ')).join(' or ') || 'none';

interface Refusal {
  readonly code: string;
  readonly status: string;
  readonly detail: string;
  readonly routes: string[];
}

/** Every code that a documented answer may have. */
export function errorsPage(document: ApiDocument): string {
  const refusals = new Map<string, Refusal>();
  for (const { name, operation } of routesOf(document))
    for (const { status, code, detail } of refusedBy(operation)) {
      const known = refusals.get(`${code} ${status}`) ?? { code, status, detail, routes: [] };
      known.routes.push(name);
      refusals.set(`${code} ${status}`, known);
    }
  const sorted = [...refusals.values()].toSorted((a, b) => compare(a.code, b.code) || compare(a.status, b.status));
  return [
    '# Errors',
    '',
    GENERATED,
    '',
    'Every refusal is `application/problem+json` (RFC 9457): `type`, `title`, `status`, `code`, `detail`, `instance`, `requestId`, and `errors` (`pointer`,',
    '`code`, `message`) when parts of a request are at fault. Decide by `code`: it is stable. `…` marks a value of the request.',
    '',
    '| code | status | detail | routes |',
    '|---|---:|---|---|',
    ...sorted.map(({ code, status, detail, routes }) => `| \`${code}\` | ${status} | ${cell(detail)} | ${listed(routes)} |`),
    '',
  ].join('\n');
}

const refusedBy = ({ responses }: ApiOperation): readonly { status: string; code: string; detail: string }[] =>
  Object.entries(responses).flatMap(([status, { content }]) =>
    Object.entries(content?.['application/problem+json']?.examples ?? {}).map(([code, { value }]) => ({
      status,
      code,
      detail: value?.detail ?? '',
    })),
  );

const FEW = 4;
const listed = (routes: readonly string[]): string => (routes.length > FEW ? 'many' : routes.map((route) => `\`${route}\``).join('<br>'));

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
