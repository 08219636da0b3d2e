/**
 * Names of operations, which generators of clients make methods of: a verb and what it is done to, from the method and the path
 * (`GET /api/v1/nfts/{tokenId}/events` is `getNftEvents`). A route whose path does not say it names itself with `operationId`.
 */

/** Words at the end of a path of POST that say what is done. */
const ACTIONS: ReadonlySet<string> = new Set(
  (
    'prepare validate capture login logout refresh select switch forgot reset rotate test resume suspend resend recover withdraw reinstate ' +
    'hold release track accept acknowledge'
  ).split(' '),
);
const VERBS: Readonly<Record<string, string>> = { get: 'get', post: 'create', patch: 'change', put: 'replace', delete: 'remove' };

/** @param paths of the whole document: a list has a path below it for one of its items */
export function operationName(method: string, path: string, paths: ReadonlySet<string>): string {
  const parts = path
    .replace(/^\/(api\/v\d+\/(auth\/)?|\.well-known\/)?/, '')
    .split('/')
    .map((part) => part.replace(/\.\w+$/, ''));
  const literals = parts.filter((part) => !isParameter(part));
  const isList = method === 'get' && !isParameter(parts.at(-1)!) && [...paths].some((one) => one.startsWith(`${path}/{`));
  if (method === 'post') {
    const action = literals.findLast((part) => ACTIONS.has(part.split('-', 1)[0]!));
    if (action !== undefined && parts.indexOf(action) >= parts.length - 2) return acted(parts, action);
  }
  const nouns = parts.flatMap((part, i) =>
    isParameter(part) ? [] : [named(part, isList || isParameter(parts[i + 1] ?? '') ? i : -1, parts)],
  );
  const verb = isList ? 'list' : VERBS[method]!;
  return camel([verb, ...(method === 'post' ? [...nouns.slice(0, -1), singular(nouns.at(-1)!)] : nouns)]);
}

/** `/nfts/{tokenId}/recall/lift/prepare`: prepareNftRecallLift. */
function acted(parts: readonly string[], action: string): string {
  const [verb, ...object] = action.split('-');
  const nouns = parts.filter((part) => !isParameter(part) && part !== action).map(singular);
  return camel([verb!, ...nouns, ...object]);
}

/** One of several where a parameter follows; a list keeps the plural of its last word. */
const named = (part: string, at: number, parts: readonly string[]): string =>
  at === parts.length - 1 || at < 0
    ? at < 0 && parts[parts.indexOf(part) + 1]?.startsWith('by-')
      ? singular(part)
      : part
    : singular(part);

const isParameter = (part: string): boolean => part.startsWith('{');
const singular = (word: string): string =>
  /(ss|us|is|custody)$/.test(word) ? word : word.endsWith('ies') ? `${word.slice(0, -3)}y` : word.replace(/s$/, '');
const camel = (words: readonly string[]): string =>
  words
    .flatMap((word) => word.split(/[-_]/))
    .filter((word) => word !== '')
    .map((word, i) => (i === 0 ? word : word[0]!.toUpperCase() + word.slice(1)))
    .join('');
