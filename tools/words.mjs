// npm run words [-- WORD]: where words are used that the project has retired (docs/glossary.md says what to write). None is allowed;
// the contexts in which a word is right are in its rule. Without arguments: counts. With a word or a path: each place.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const CODE = /\.(ts|tsx|mjs|cjs|js|sol)$/;
const PROSE = /\.(md|sql|css|html|yaml|yml|sh)$/;
/** Generated, or a list of the words themselves. */
const SKIPPED =
  /^(contracts\/generated|bench\/results|libs\/client\/src\/generated|docs\/reference)\/|^(docs\/glossary\.md|tools\/words\.mjs|test\/architecture\/words\.spec\.ts|LICENSE)$/;

/**
 * A rule looks at one kind of text: `name` at each identifier of code (whole, and split into its words), `type` at the names of
 * declared types, `prose` at comments, messages and pages. `unless` is a context on the same line in which the word is right.
 */
const name = (word, pattern, unless) => ({ word, kind: 'name', pattern, unless });
const type = (word, pattern, unless) => ({ word, kind: 'type', pattern, unless });
const prose = (word, pattern, unless) => ({ word, kind: 'prose', pattern, unless });

/** A trace of OpenTelemetry. */
const OPEN_TELEMETRY = /^libs\/tracing\//;

export const RULES = [
  // Words with several meanings: write the one that is meant.
  name('turn', /^turns?$/),
  prose(
    'turn',
    /\b(a|its|the|their|own|each|every|in|by|took?|takes?|taking|wait\w* for (its|their)) turns?\b|\bturn by turn\b/i,
    /in turn,/,
  ),
  {
    ...name(
      'trace',
      /^traces?$/,
      /traceBack|traceForward|traceparent|tracestate|traceId|traceFlags|opentelemetry|otlp|OTEL|\bspan|trace-source|TRACE_|#tracing|traceEvent|trace_event|DATABASE_/i,
    ),
    except: OPEN_TELEMETRY,
  },
  {
    ...prose(
      'trace',
      /\b(the|a|its|one|whole) trace\b(?! (event|context))|\btraces? of (a |the )?(lots?|goods)\b|\blot traces?\b/i,
      /span|OpenTelemetry|collector|OTLP|OTEL|traceparent|W3C|stack trace/i,
    ),
    except: OPEN_TELEMETRY,
  },
  name('projection', /^projections?$/),
  prose('projection', /\bprojections?\b/i),
  name('journal', /^journals?$/),
  prose('journal', /\bjournals?\b/i),
  // Alerts balance the claims of ISO 22095.
  {
    ...name(
      'claim',
      /^(claims?|claimed|claiming)$/,
      /jwt|token|payload|iss\b|aud\b|iat\b|claimed(In|Out)Kg|share|breach|iso ?22095|chain.?of.?custody|conformity|mass.?balance|claim_?balance|passport|organic|book_and|performanceClaim|claimDate|claimedPerformance/i,
    ),
    except: /^libs\/reporting\/src\/alerts\/(rules|sources)\//,
  },
  {
    ...prose(
      'claim',
      /\bclaim(s|ed|ing)?\b/i,
      /jwt|token|payload|share|breach|iso ?22095|chain.of.custody|conformity|mass.balance|passport|organic|goods|book and|uptake/i,
    ),
    except: /^libs\/reporting\/src\/alerts\/(rules|sources)\//,
  },
  type('order', /Orders?$/),
  // The origin in the JSON of a passport has steps, and so has a GitHub workflow; Ownable2Step is a contract of OpenZeppelin.
  {
    ...name('step', /^steps?$/, /biz_?step|scenario|lastStep|origin|Ownable2Step/i),
    except: /^libs\/(passports\/|traceability\/src\/testing\/leafy-greens)/,
  },
  {
    ...prose(
      'step',
      /\bsteps?\b/i,
      /bizStep|scenario|step by step|origin and steps|\b(next|first|last|\d|one|two|three|these|following) steps?\b/i,
    ),
    except: /^(libs\/passports\/|libs\/kernel\/src\/text\/html|\.github\/)/,
  },
  // Names of background work and watching.
  name('lookout', /^lookouts?$/),
  name('sighting', /^sight(ed|ing|ings)$/),
  name('look', /^(look|looks|looked)$/),
  prose('look', /\b(lookouts?|sightings?|looks at|looked at|(a|one|each) look)\b/i),
  name('surroundings', /^(surroundings?|circumstances|standing|standings)$/),
  type('around', /^Around|Around$/),
  type('book', /Book$/),
  type('patrol', /(Patrol|Keeper|Follower|Search|Sweep|Sweeper)$/),
  { ...type('rounds', /Rounds?$/), except: /^bench\// },
  // A field of the data reference report, and a setting that keeps the name that operators know.
  {
    ...name('patrol', /^(patrols?|keepers?|followers?|sweeps?|sweepers?)$/, /sweep\.lap|WEBHOOK_SWEEP_MS/),
    except: /^libs\/reporting\/src\/data-reference\//,
  },
  // A benchmark has rounds.
  { ...name('rounds', /^rounds$/), except: /^bench\// },
  prose('patrol', /\b(patrols?|keepers?|followers?|sweeps?|sweepers?)\b/i),
  { ...prose('rounds', /\b(the|its|a|in|of) rounds?\b/i, /round(s|ed)? (up|down|trip)/i), except: /^bench\// },
  name('wakeful', /^(wakeful|resting|struggle|struggles|struggling)$/),
  name('kept', /^(Kept\w+|keptAnswers?|KeepReady|keepReady|AskReport|askReport)$/),
  type('kept', /^(Kept\w+|KeepReady|AskReport)$/),
  type('papers', /^(Papers?|KeyData|LotBackground|LotShapes?|LotTexts?|Alike)$|Papers$|Background$|Alike$/),
  type(
    'participle',
    /^(At|Of|Found|Asked|Placed|Sound|Made|Ready|Told|Heard|Given|Taken|Seen|Kept|Held|Meant|Said|Wanted|Known)$|(Found|Asked|Placed|Sound|Told|Heard|Said|Meant)$/,
  ),
  // Phrases of a language of our own.
  prose('riding event', /\b(riding|rides? (on|along))\b/i),
  name('riding event', /^(riding|rides)$/),
  prose('foreign event', /\bforeign events?\b/i),
  name('foreign event', /^foreignEvents?$/),
  prose('out there', /\bout there\b/i),
  name('out there', /^outThere$/),
  name('obey', /^(obey|obeys|obeyed|tell|tells|told|teller|hear|hears|heard)$/),
  prose('obey', /\b(obeys?|obeyed|hears? of|heard of|is told|are told|was told)\b/i),
  prose('whoever', /\bwhoever\b/i),
  prose('beside', /\bbesides?\b/i),
  prose('anew', /\banew\b/i),
  name('anew', /^anew$/),
  prose('stands', /\bstands?\b(?! ?-?by\b)/i),
  prose('owed', /\b(is|are|was) owed\b/i),
  prose('lies', /(?<!\b(node|service|store|provider|RPC) )\b(lies|lie (in|on|at|below|under|there))\b/i),
  prose('comes to', /\b(comes?|came) to\b(?! (life|mind))/i),
  prose('of these', /(?<!\b(one|none|some|each|all|any|most|both|two|three|many|few|number|list|part) )\bof these\b/i),
  prose('by what', /\bby what (they|it|he) says?\b/i),
  prose('for ever', /\bfor ever\b/i),
  // Labels of the portal and of messages.
  ...[
    'stands against',
    'as said above',
    'how grave',
    'by gravity',
    'silent ones',
    'leave them out',
    'show them too',
    'who is told',
    'hears of',
    'signs along',
    'hears of nothing',
    'asked at once',
    'pauses none',
    'nobody offers',
    'did not land',
    'see what a recall would hit',
    'what was made of it',
    'holders to tell',
    'yield of the road',
    'somebody new',
    'goes nowhere',
    'who answers for',
    'where you know it',
    'the paragraph that asks',
  ].map((phrase) => prose(`"${phrase}"`, new RegExp(`\\b${phrase}\\b`, 'i'))),
];

const TOKEN = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g;
const IDENTIFIER = /[A-Za-z_$][\w$]*/g;
/** What is between two tags. */
const JSX_TEXT = />[^<>{}=;()]*[A-Za-z][^<>{}=;()]*(?=[<{])/g;
const DECLARED = /\b(?:class|interface|type|enum)\s+([A-Z]\w*)/g;

/** @returns {{ word: string, line: number, text: string }[]} retired words in one text */
export function retiredIn(path, text) {
  const lines = text.split('\n');
  const found = [];
  const note = (rule, index) => {
    const line = lineAt(text, index);
    if (!rule.unless?.test(lines[line]) && !rule.except?.test(path))
      found.push({ word: rule.word, line: line + 1, text: lines[line].trim() });
  };
  const { code, words } = CODE.test(path) ? parted(path, text) : { code: '', words: text };
  for (const rule of RULES.filter(({ kind }) => kind === 'prose'))
    for (const { index } of words.matchAll(global(rule.pattern))) note(rule, index);
  for (const { 1: declared, index } of code.matchAll(DECLARED))
    for (const rule of RULES) if (rule.kind === 'type' && rule.pattern.test(declared)) note(rule, index);
  for (const { 0: identifier, index } of code.matchAll(IDENTIFIER)) for (const rule of rulesAgainst(identifier)) note(rule, index);
  return found;
}

/** Code, and what people read in it; each with blanks in the place of the other, so that positions stay. */
function parted(path, text) {
  const blank = (part) => part.replaceAll(/[^\n]/g, ' ');
  let [code, words, at] = ['', '', 0];
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const between = text.slice(at, index);
    const comment = token.startsWith('/');
    // A text without a blank is a key, a path or a code: neither a name of ours nor prose.
    const read = comment || /\s/.test(token);
    code += between + blank(token);
    words += blank(between) + (read ? token : blank(token));
    at = index + token.length;
  }
  const rest = text.slice(at);
  code += rest;
  words += blank(rest);
  if (path.endsWith('.tsx'))
    for (const { 0: shown, index } of code.matchAll(JSX_TEXT)) words = words.slice(0, index) + shown + words.slice(index + shown.length);
  return { code, words };
}

const known = new Map();
function rulesAgainst(identifier) {
  const before = known.get(identifier);
  if (before) return before;
  const parts = [identifier, ...split(identifier)];
  const against = RULES.filter(({ kind, pattern }) => kind === 'name' && parts.some((part) => pattern.test(part)));
  known.set(identifier, against);
  return against;
}

const split = (identifier) => identifier.split(/_+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/).map((part) => part.toLowerCase());
const globals = new Map();
const global = (pattern) => globals.get(pattern) ?? globals.set(pattern, new RegExp(pattern.source, `${pattern.flags}g`)).get(pattern);
const lineAt = (text, index) => text.slice(0, index).split('\n').length - 1;

/** Every place in the repository. */
export function retired() {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  const files = listed
    .split('\n')
    .filter((path) => (CODE.test(path) || PROSE.test(path)) && !SKIPPED.test(path) && existsSync(join(root, path)));
  return files.flatMap((path) => retiredIn(path, readFileSync(join(root, path), 'utf8')).map((place) => ({ path, ...place })));
}

export function counted(places) {
  const counts = {};
  for (const { word } of places) counts[word] = (counts[word] ?? 0) + 1;
  return Object.fromEntries(Object.entries(counts).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [wanted] = process.argv.slice(2);
  const places = retired();
  if (wanted === '--json') process.stdout.write(JSON.stringify(counted(places)));
  else if (wanted)
    for (const { path, line, word, text } of places)
      if (word === wanted || path.startsWith(wanted)) process.stdout.write(`${path}:${line} [${word}] ${text.slice(0, 160)}\n`);
      else continue;
  else {
    for (const [word, count] of Object.entries(counted(places))) process.stdout.write(`${String(count).padStart(6)}  ${word}\n`);
    const folders = {};
    for (const { path } of places) {
      const folder = path.split('/').slice(0, 2).join('/');
      folders[folder] = (folders[folder] ?? 0) + 1;
    }
    process.stdout.write('\n');
    for (const [folder, count] of Object.entries(folders).toSorted(([, a], [, b]) => b - a))
      process.stdout.write(`${String(count).padStart(6)}  ${folder}\n`);
  }
}
