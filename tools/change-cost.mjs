// npm run change-cost: what a change costs in this repository, in figures: files that a route reaches, files to add a field, a topic or a report,
// ports with one implementation. docs/reference/change-cost.md has the goals. `--change main...branch` counts the files of a change; `--json` prints
// for programs.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
  maxBuffer: 1 << 26,
})
  .split('\n')
  .filter((path) => path !== '' && existsSync(join(root, path)));
const texts = new Map();
const textOf = (path) => texts.get(path) ?? texts.set(path, readFileSync(join(root, path), 'utf8')).get(path);

const isProduction = (path) => /\.tsx?$/.test(path) && !/\.spec\.tsx?$|\/testing\/|\/generated\//.test(path);
const libraries = tracked.filter((path) => path.startsWith('libs/') && isProduction(path));
const migrations = tracked.filter((path) => /^libs\/.*\/migrations\/.*\.sql$/.test(path));

/** One request of each big context, and the pattern of its route in the controller. */
const ROADS = [
  ['POST /api/v1/events/prepare', 'traceability', /@Post\('(events\/)?prepare'\)/],
  ['GET /api/v1/nfts/{tokenId}/descendants', 'traceability', /@Get\('(nfts\/)?(:tokenId\/)?descendants'\)/],
  ['POST /api/v1/custody/prepare', 'custody', /@Post\('(custody\/)?prepare'\)/],
  ['GET /api/v1/nfts/{tokenId}/recall-impact', 'recall', /@Get\('(nfts\/)?(:tokenId\/)?recall-impact'\)/],
  ['POST /api/v1/webhooks', 'webhooks', /@Post\((''|'webhooks')?\)/],
];
const FIELDS = ['assetTypeName', 'processMapName', 'dataHash', 'expiresAt', 'metadataCid'];
const TOPICS = ['event.recorded', 'nft.created', 'nft.recalled', 'custody.transferred'];
const REPORTS = ['inventory', 'yield', 'suppliers', 'documents', 'fsma204', 'data-reference'];

export function figures() {
  const declared = libraries.flatMap((path) =>
    [...textOf(path).matchAll(/^export (?:abstract )?(?:class|interface|type|enum) (\w+)/gm)].map(([, name]) => name),
  );
  const ports = abstractClasses();
  return {
    'production files in libs': libraries.length,
    'lines of the longest of them': Math.max(...libraries.map((path) => textOf(path).split('\n').length)),
    ...Object.fromEntries(ROADS.map(([name, context, route]) => [`files of ${context} behind ${name}`, behind(context, route)])),
    [`files of traceability that name a field of a lot (median of ${FIELDS.length})`]: median(FIELDS.map(filesWithField)),
    [`files of libs that name a topic (median of ${TOPICS.length})`]: median(
      TOPICS.map((topic) => count(libraries, new RegExp(`['"\`]${topic}['"\`]`))),
    ),
    [`files of a report (median of ${REPORTS.length})`]: median(
      REPORTS.map((report) => libraries.filter((path) => path.startsWith(`libs/reporting/src/${report}/`)).length),
    ),
    'abstract classes': ports.length,
    'of them with one implementation': ports.filter(({ implementations }) => implementations === 1).length,
    migrations: migrations.length,
    'projectors (*.projector.ts)': libraries.filter((path) => path.endsWith('.projector.ts')).length,
    'jobs (*.job.ts)': libraries.filter((path) => path.endsWith('.job.ts')).length,
    'names of types with Lot': declared.filter((name) => /Lots?(?![a-z])/.test(name)).length,
    'names of types with Event': declared.filter((name) => /Events?(?![a-z])/.test(name)).length,
    'lines that cite a document outside': tracked
      .filter((path) => /^(libs|apps|test|bench|contracts)\/.*\.(tsx?|mjs|sql|sol)$/.test(path) && !/architecture\/citations/.test(path))
      .reduce((sum, path) => sum + [...textOf(path).matchAll(OUTSIDE)].length, 0),
  };
}

const OUTSIDE =
  /\b(service[-]spec|(api|domain|reliability)-decisions)\b|\b(architecture|chain|style|stack|seed)(\.md)? \u00a7|\bS [1-9]\.\d/g;

/** The controller of a route, and what its handler reaches by imports within its own context. */
function behind(context, route) {
  const own = libraries.filter((path) => path.startsWith(`libs/${context}/src/`));
  const controller = own.find((path) => path.endsWith('controller.ts') && route.test(textOf(path)));
  if (!controller) return null;
  const text = textOf(controller);
  const handler = handlerAt(text, text.search(route));
  const members = [...handler.matchAll(/this\.(\w+)/g)].flatMap(([, name]) => new RegExp(`\\b${name}: (\\w+)`).exec(text)?.[1] ?? []);
  const used = new Set([...handler.matchAll(/\b[A-Za-z]\w*\b/g)].map(([name]) => name).concat(members));
  const reached = new Set([controller]);
  const open = importsOf(controller).filter(({ names }) => names.some((name) => used.has(name)));
  for (const { path } of open) walk(path, context, reached);
  return reached.size;
}

function walk(path, context, reached) {
  if (reached.has(path) || !path.startsWith(`libs/${context}/src/`) || !texts.has(path) || !isProduction(path)) return;
  reached.add(path);
  for (const next of importsOf(path)) walk(next.path, context, reached);
}

/** From the decorator to the end of the method: the next line that closes a member. */
const handlerAt = (text, at) => text.slice(at, text.indexOf('\n  }\n', at) + 1 || undefined);

function importsOf(path) {
  return [...textOf(path).matchAll(/^(?:import|export)\s+(?:type\s+)?(\{[^}]*\}|\*(?: as \w+)?|\w+)\s+from\s+'(\.[^']+)'/gm)].map(
    ([, names, from]) => ({
      names: names.match(/\w+/g) ?? [],
      path: sourceOf(normalize(join(dirname(path), from))),
    }),
  );
}

const sourceOf = (path) => [path.replace(/\.js$/, '.ts'), path.replace(/\.js$/, '.tsx')].find((one) => tracked.includes(one)) ?? path;

function abstractClasses() {
  const all = libraries.flatMap((path) => [...textOf(path).matchAll(/\babstract class (\w+)/g)].map(([, name]) => name));
  const code = [...libraries, ...tracked.filter((path) => path.startsWith('apps/') && isProduction(path))];
  return all.map((name) => ({
    name,
    implementations: code.reduce(
      (sum, path) => sum + [...textOf(path).matchAll(new RegExp(`(?:extends|implements) [^{]*\\b${name}\\b`, 'g'))].length,
      0,
    ),
  }));
}

const count = (paths, pattern) => paths.filter((path) => pattern.test(textOf(path))).length;

/** A field of a lot by its name in code, in SQL and on the wire. */
function filesWithField(field) {
  const column = field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const lots = [...libraries, ...migrations].filter((path) => /^libs\/traceability\/src\//.test(path));
  return count(lots, new RegExp(`\\b(${field}|${column})\\b`));
}

function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)];
}

/** Files of a change, `main...branch`: those that people write for production, and all. */
function changeFigures(range) {
  const changed = execFileSync('git', ['diff', '--name-only', range], { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);
  const written = changed.filter((path) => (isProduction(path) && !path.startsWith('test/')) || path.endsWith('.sql'));
  return { [`production files of ${range}`]: written.length, 'files in all': changed.length };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const path of [...libraries, ...migrations]) textOf(path);
  const change = process.argv[process.argv.indexOf('--change') + 1];
  const all = process.argv.includes('--change') ? changeFigures(change) : figures();
  if (process.argv.includes('--json')) process.stdout.write(`${JSON.stringify(all, null, 2)}\n`);
  else for (const [name, value] of Object.entries(all)) process.stdout.write(`${String(value ?? '–').padStart(6)}  ${name}\n`);
}
