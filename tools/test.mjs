// npm test: installs, builds, checks and runs every suite; prints the time of each, then "N passed, N failed".
// npm run test:fast: types, lint, units and architecture only.
// npm test -- --record: writes down how long each spec file took, by which the next runs order them.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureInstalled } from './install.mjs';
import { watchThisRun } from './watchdog.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const fast = process.argv.includes('--fast');
const record = process.argv.includes('--record');
const say = (line) => process.stdout.write(`${line}\n`);
const results = [];
/** More files than this fail for a reason that a second run does not change. */
const MOST_REPEATED = 10;
/** Spec files that failed, and passed when they ran a second time. */
const unstable = [];

if (!ensureInstalled(root, say)) {
  say('The packages could not be installed.\n0 passed, 1 failed');
  process.exit(1);
}
watchThisRun();
const { build } = await import('./build.mjs');
const { audit } = await import('./audit.mjs');
const { findScaleEngines } = await import('./scale-engines.mjs');
const scale = fast ? { env: {}, missing: [] } : findScaleEngines(say);
const bin = (name) => join(root, 'node_modules/.bin', name);
const CODE = ['apps', 'libs', 'contracts', 'test', 'bench', 'docs/how-to/receivers'];

const FORMATTED = [...CODE, 'tools'];

const one = (ok) => ({ passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0 });
const check = async (command, args) => {
  const { code, output } = await run(command, args);
  if (code !== 0) say(output);
  return one(code === 0);
};

await suite('types and build', () => one(build()));
if (results[0].failed > 0) finish();
// Lint and the compiler of the contracts wait for nothing: they run next to the suites, which often wait for blocks.
await Promise.all([staticChecks(), suites(fast ? ['unit', 'architecture'] : ['unit', 'architecture', 'engines', 'journeys'])]);
finish();

async function staticChecks() {
  await suite('lint', () => check(bin('oxlint'), ['--type-aware', '--deny-warnings', ...CODE]));
  if (fast) return;
  await suite('format', () => check(bin('oxfmt'), ['--check', ...FORMATTED]));
  await suite('contracts (forge)', forge);
  if (process.env.CI === 'true') await suite('audit of the packages', auditOfPackages);
}

async function suite(name, work) {
  const started = performance.now();
  const result = await work();
  results.push({ name, ...result, seconds: (performance.now() - started) / 1000 });
}

function run(command, args, { quiet = true, env = process.env } = {}) {
  const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', quiet ? 'pipe' : 'ignore', quiet ? 'pipe' : 'inherit'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
  return new Promise((done) => {
    child.once('error', (error) => done({ code: 1, output: error.message }));
    child.once('close', (code) => done({ code, output }));
  });
}

async function forge() {
  const { code, output } = await run(process.execPath, ['contracts/forge.mjs']);
  const counts = [...output.matchAll(/(\d+) tests? passed, (\d+) failed, (\d+) skipped/g)].at(-1);
  if (code !== 0 || !counts) say(output);
  // No count and no word of being left out means that nothing was found to run: a failure.
  if (!counts) return code === 0 && output.startsWith('skipped:') ? { passed: 0, failed: 0, skipped: 1 } : one(false);
  return { passed: Number(counts[1]), failed: Math.max(Number(counts[2]), code === 0 ? 0 : 1), skipped: Number(counts[3]) };
}

function auditOfPackages() {
  const { state, lines } = audit(root);
  for (const line of lines) say(`   ${line}`);
  return state === 'unanswered' ? { passed: 0, failed: 0, skipped: 1 } : one(state === 'clean');
}

/** All projects in one run of Jest: its workers are busy to the end, and load the service once. */
async function suites(projects) {
  const { code, files, seconds } = await jest(['--selectProjects', ...projects]);
  if (!files) {
    results.push({ name: 'jest', ...one(false), seconds });
    return;
  }
  if (record) writeSeconds(files);
  const final = process.env.CI === 'true' ? await onceMore(files) : files;
  for (const project of projects)
    results.push(
      resultOf(
        project,
        final.filter(({ name }) => projectOf(name) === project),
      ),
    );
  // Jest failed as a whole, and no test says why.
  if (code !== 0 && files.every(({ status }) => status === 'passed')) results.push({ name: 'jest', ...one(false), seconds });
}

/** @returns the results of each file, or null if Jest did not get so far */
async function jest(args) {
  const dir = mkdtempSync(join(tmpdir(), 'trace-jest-'));
  const report = join(dir, 'report.json');
  const started = performance.now();
  // A larger young generation saves half of the time that the workers would spend on collecting garbage.
  const program = ['--no-warnings', '--max-semi-space-size=64', 'node_modules/jest/bin/jest.js'];
  const { code } = await run(process.execPath, [...program, ...args, '--json', '--outputFile', report], {
    quiet: false,
    env: { ...process.env, ...scale.env },
  });
  const seconds = (performance.now() - started) / 1000;
  try {
    return { code, files: JSON.parse(readFileSync(report, 'utf8')).testResults, seconds };
  } catch {
    return { code, files: null, seconds };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** On a machine of others a few files run a second time, alone. What failed first is printed above and named at the end, and is a fault to mend. */
async function onceMore(files) {
  const failed = files.filter(({ status }) => status === 'failed');
  if (failed.length === 0 || failed.length > MOST_REPEATED) return files;
  say(`\n── once more, alone: ${failed.map(specOf).join(', ')}`);
  const again = await jest(['--runInBand', '--runTestsByPath', ...failed.map(({ name }) => name)]);
  const passed = new Map((again.files ?? []).filter(({ status }) => status === 'passed').map((file) => [file.name, file]));
  unstable.push(...failed.filter(({ name }) => passed.has(name)).map(specOf));
  return files.map((file) => passed.get(file.name) ?? file);
}

function secondsOf({ startTime, endTime }) {
  return (endTime - startTime) / 1000;
}

function specOf({ name }) {
  return name.replace(`${root}/dist/`, '').replace(/\.js$/, '.ts');
}

/** Short files are in no need of an order. */
function writeSeconds(files) {
  const long = files.filter((file) => secondsOf(file) >= 5).toSorted((a, b) => secondsOf(b) - secondsOf(a));
  const seconds = Object.fromEntries(long.map((file) => [specOf(file), Math.round(secondsOf(file))]));
  writeFileSync(join(root, 'test/harness/jest/seconds.json'), `${JSON.stringify(seconds, null, 2)}\n`);
}

function projectOf(path) {
  const folder = /\/dist\/(test\/\w+|\w+)\//.exec(path)?.[1];
  return (
    {
      'test/architecture': 'architecture',
      'test/engines': 'engines',
      'test/chaos': 'engines',
      'test/journeys': 'journeys',
      'test/portal': 'journeys',
    }[folder] ?? 'unit'
  );
}

/** Seconds of a project are those of its files; several run at a time. */
function resultOf(name, files) {
  say(`\n── ${name}`);
  const total = { name, passed: 0, failed: 0, skipped: 0, seconds: 0 };
  for (const file of files) {
    const { status, message, assertionResults } = file;
    const seconds = secondsOf(file);
    say(`   ${seconds.toFixed(1).padStart(6)} s  ${specOf(file)}`);
    const count = (...states) => assertionResults.filter((test) => states.includes(test.status)).length;
    total.passed += count('passed');
    total.skipped += count('pending', 'skipped', 'disabled');
    // A file that could not run has no test that failed.
    total.failed += Math.max(count('failed'), status === 'failed' ? 1 : 0);
    total.seconds += seconds;
    if (status === 'failed' && count('failed') === 0) say(message);
  }
  return total;
}

function finish() {
  say('\n── time of each suite; those of Jest run together, and next to the checks');
  for (const { name, passed, failed, skipped, seconds } of results)
    say(`${seconds.toFixed(1).padStart(7)} s  ${name}: ${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`);
  say(`${(performance.now() / 1000).toFixed(1).padStart(7)} s  in all`);
  if (scale.missing.length > 0) {
    say('\n!! Not run here, because the server is not on this machine:');
    for (const line of scale.missing) say(`!!   ${line}`);
  }
  if (unstable.length > 0) {
    say('\n!! Failed at first, and passed alone; the failure is printed above:');
    for (const spec of unstable) say(`!!   ${spec}`);
  }
  const sum = (key) => results.reduce((total, result) => total + result[key], 0);
  const skipped = sum('skipped');
  say(`\n${sum('passed')} passed, ${sum('failed')} failed${skipped ? `, ${skipped} skipped` : ''}`);
  process.exit(sum('failed') === 0 ? 0 : 1);
}
