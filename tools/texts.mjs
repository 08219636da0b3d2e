// npm run texts: what the catalogues of the portal's languages lack, and what nobody uses any more. `-- --merge FILE` adds the
// translations of FILE ({ "English": { "de": …, "fr": … } }) and removes what is not used. `-- --plain` lists texts that are not translated.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const PORTAL = join(root, 'apps/portal/src');
export const LANGUAGES = ['de', 'fr', 'es', 'vi'];
const MARKS = new Set(['t', 'tx', 'phrase', 'plural']);
/** Attributes and properties that people read. */
const READ = /^(label|hint|title|placeholder|alt|aria-label|caption|name|none|sure|aside|error|about)$/;

/**
 * The texts of one source file.
 * @returns {{ key: string, plural: boolean, early: boolean, line: number }[]} `early`: translated when the script is loaded, so once for all languages
 */
export function textsIn(path, source) {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true, path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS);
  const found = [];
  const visit = (node, early) => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && MARKS.has(node.expression.text)) {
      const name = node.expression.text;
      const argument = node.arguments[name === 'plural' ? 2 : 0];
      for (const key of argument ? literals(argument) : [])
        found.push({ key, plural: name === 'plural', early: early && name !== 'phrase', line: lineOf(file, node) });
    }
    ts.forEachChild(node, (child) => visit(child, early && !ts.isFunctionLike(node)));
  };
  visit(file, true);
  return found;
}

function literals(node) {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) return literals(node.expression);
  if (ts.isConditionalExpression(node)) return [...literals(node.whenTrue), ...literals(node.whenFalse)];
  if (ts.isBinaryExpression(node)) return [...literals(node.left), ...literals(node.right)];
  return [];
}

/** Texts between tags and in attributes that people read, which are written without a mark. */
export function plainIn(path, source) {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const found = [];
  const note = (node, text) =>
    /\p{L}{2}/u.test(text) && found.push({ line: lineOf(file, node), text: text.trim().replaceAll(/\s+/g, ' ') });
  const visit = (node) => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && MARKS.has(node.expression.text)) {
      node.arguments.slice(1).forEach(visit);
      return;
    }
    if (ts.isJsxText(node)) note(node, node.text);
    else if ((ts.isJsxAttribute(node) || ts.isPropertyAssignment(node)) && READ.test(node.name.getText(file))) {
      const value = node.initializer && ts.isJsxExpression(node.initializer) ? node.initializer.expression : node.initializer;
      if (value) for (const text of literals(value)) if (/^\p{Lu}|\s/u.test(text)) note(node, text);
    } else if (ts.isJsxExpression(node) && node.expression && ts.isJsxElement(node.parent))
      for (const text of literals(node.expression)) note(node, text);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

const lineOf = (file, node) => file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;

export const sources = () =>
  readdirSync(PORTAL, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.spec.ts'))
    .map((name) => ({ path: relative(root, join(PORTAL, name)), source: readFileSync(join(PORTAL, name), 'utf8') }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));

/** Every text of the portal. */
export const texts = () => sources().flatMap(({ path, source }) => textsIn(path, source).map((text) => ({ path, ...text })));

const catalogueOf = (language) => join(PORTAL, 'languages', `${language}.json`);
export const catalogue = (language) => JSON.parse(readFileSync(catalogueOf(language), 'utf8'));

const placesOf = (text) => (text.match(/\{\w+\}/g) ?? []).toSorted().join(' ');
const formsOf = (language) => new Intl.PluralRules(language).resolvedOptions().pluralCategories.filter((category) => category !== 'many');

/** What is wrong with the catalogue of one language, a line each. */
export function faultsOf(language, entries, used) {
  const faults = [];
  const keys = new Map(used.map(({ key, plural }) => [key, plural]));
  for (const [key, plural] of keys) {
    const entry = entries[key];
    if (entry === undefined) faults.push(`missing: ${key}`);
    else if (plural !== (typeof entry === 'object')) faults.push(`${plural ? 'needs plural forms' : 'has plural forms'}: ${key}`);
    else {
      const lacking = plural ? formsOf(language).filter((form) => typeof entry[form] !== 'string') : [];
      if (lacking.length > 0) faults.push(`lacks ${lacking.join(', ')}: ${key}`);
      // A form for one thing may do without its number.
      const whole = plural ? [entry.other ?? ''] : [entry];
      if (whole.some((text) => text.trim() === '' || placesOf(text) !== placesOf(key))) faults.push(`other values: ${key}`);
    }
  }
  for (const key of Object.keys(entries)) if (!keys.has(key)) faults.push(`not used: ${key}`);
  return faults;
}

function merge(additions) {
  const used = new Set(texts().map(({ key }) => key));
  for (const language of LANGUAGES) {
    const entries = catalogue(language);
    for (const [key, one] of Object.entries(additions)) if (one[language] !== undefined) entries[key] = one[language];
    const sorted = Object.entries(entries)
      .filter(([key]) => used.has(key))
      .toSorted(([a], [b]) => (a < b ? -1 : 1));
    writeFileSync(catalogueOf(language), `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [what, file] = process.argv.slice(2);
  if (what === '--merge') merge(JSON.parse(readFileSync(file, 'utf8')));
  else if (what === '--plain')
    for (const { path, source } of sources())
      for (const { line, text } of plainIn(path, source)) process.stdout.write(`${path}:${line} ${text}\n`);
  else
    for (const language of LANGUAGES)
      for (const fault of faultsOf(language, catalogue(language), texts())) process.stdout.write(`${language} ${fault}\n`);
}
