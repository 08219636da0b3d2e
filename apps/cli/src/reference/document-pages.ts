/** As much of an OpenAPI document as these pages tell. */
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

const MADE = '<!-- Made from the OpenAPI document by `npm run cli -- reference --base-url <url>`; a test compares them. -->';

interface Route {
  readonly name: string;
  readonly operation: ApiOperation;
}

const routesOf = ({ paths }: ApiDocument): readonly Route[] =>
  Object.entries(paths)
    .flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })))
    .toSorted((a, b) => compare(a.path, b.path) || compare(a.method, b.method))
    .map(({ path, method, operation }) => ({ name: `${method.toUpperCase()} ${path}`, operation }));

/** Every route, what it does and which credential it takes. */
export const routesPage = (document: ApiDocument): string =>
  [
    '# Routes',
    '',
    MADE,
    '',
    'Parameters, bodies, answers and their examples: `/docs` of a running service, `/openapi.json`. Every refusal: [errors](errors.md).',
    '',
    '| route | does | takes |',
    '|---|---|---|',
    ...routesOf(document).map(
      ({ name, operation }) =>
        `| \`${name}\` | ${cell(operation.summary ?? '')}${operation.deprecated ? ' (deprecated)' : ''} | ${takes(operation)} |`,
    ),
    '',
  ].join('\n');

const takes = ({ security = [] }: ApiOperation): string => security.map((one) => Object.keys(one).join(' and ')).join(' or ') || 'nothing';

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
    MADE,
    '',
    'Every refusal is `application/problem+json` (RFC 9457): `type`, `title`, `status`, `code`, `detail`, `instance`, `requestId`, and `errors` (`pointer`,',
    '`code`, `message`) where parts of a request are at fault. Decide by `code`: it is stable. `…` stands for what a request fills in.',
    '',
    '| code | status | says | routes |',
    '|---|---:|---|---|',
    ...sorted.map(({ code, status, detail, routes }) => `| \`${code}\` | ${status} | ${cell(detail)} | ${told(routes)} |`),
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
const told = (routes: readonly string[]): string => (routes.length > FEW ? 'many' : routes.map((route) => `\`${route}\``).join('<br>'));

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
