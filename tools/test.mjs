// npm test: installs, builds, checks and runs every suite; prints the time of each, then "N passed, N failed".
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureInstalled } from './install.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const say = (line) => process.stdout.write(`${line}\n`);
const results = [];

if (!ensureInstalled(root, say)) {
  say('The packages could not be installed.\n0 passed, 1 failed');
  process.exit(1);
}
const { build } = await import('./build.mjs');
const { audit } = await import('./audit.mjs');
const { findScaleEngines } = await import('./scale-engines.mjs');
const scale = findScaleEngines(say);
const bin = (name) => join(root, 'node_modules/.bin', name);
const CODE = ['apps', 'libs', 'contracts', 'test', 'bench', 'docs/how-to/receivers'];

const one = (ok) => ({ passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0 });
const check = (command, args) => one(spawnSync(command, args, { cwd: root, stdio: 'inherit' }).status === 0);

suite('types and build', () => (build() ? one(true) : one(false)));
if (results[0].failed > 0) finish();
suite('format', () => check(bin('biome'), ['format', '.']));
suite('lint', () => check(bin('oxlint'), ['--type-aware', '--deny-warnings', ...CODE]));
suite('contracts (forge)', () => forge());
if (process.env.CI === 'true') suite('audit of the packages', () => auditOfPackages());
for (const project of ['unit', 'architecture', 'engines', 'journeys']) suite(project, () => jest(project));
finish();

function suite(name, run) {
  say(`\n── ${name}`);
  const started = performance.now();
  results.push({ name, ...run(), seconds: (performance.now() - started) / 1000 });
}

function forge() {
  const run = spawnSync(process.execPath, ['contracts/forge.mjs'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.stdout.write(run.stdout);
  const counts = [...run.stdout.matchAll(/(\d+) tests? passed, (\d+) failed, (\d+) skipped/g)].at(-1);
  // No count and no word of being left out means that nothing was found to run: a failure.
  if (!counts) return run.status === 0 && run.stdout.startsWith('skipped:') ? { passed: 0, failed: 0, skipped: 1 } : one(false);
  return { passed: Number(counts[1]), failed: Math.max(Number(counts[2]), run.status === 0 ? 0 : 1), skipped: Number(counts[3]) };
}

function auditOfPackages() {
  const { state, lines } = audit(root);
  for (const line of lines) say(`   ${line}`);
  return state === 'unanswered' ? { passed: 0, failed: 0, skipped: 1 } : one(state === 'clean');
}

function jest(project) {
  const dir = mkdtempSync(join(tmpdir(), 'trace-jest-'));
  const report = join(dir, 'report.json');
  const args = [
    '--experimental-vm-modules',
    '--no-warnings',
    'node_modules/jest/bin/jest.js',
    '--selectProjects',
    project,
    '--json',
    '--outputFile',
    report,
  ];
  const run = spawnSync(process.execPath, args, {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...scale.env },
  });
  try {
    const { numPassedTests, numFailedTests, numPendingTests, numRuntimeErrorTestSuites, testResults } = JSON.parse(
      readFileSync(report, 'utf8'),
    );
    for (const { name, startTime, endTime } of testResults)
      say(`   ${((endTime - startTime) / 1000).toFixed(1).padStart(6)} s  ${name.replace(`${root}/dist/`, '').replace(/\.js$/, '.ts')}`);
    const failed = numFailedTests + numRuntimeErrorTestSuites;
    return { passed: numPassedTests, failed: run.status === 0 ? failed : Math.max(failed, 1), skipped: numPendingTests };
  } catch {
    return one(false);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function finish() {
  say('\n── time of each suite');
  for (const { name, passed, failed, skipped, seconds } of results)
    say(`${seconds.toFixed(1).padStart(7)} s  ${name}: ${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`);
  if (scale.missing.length > 0) {
    say('\n!! Not run here, because the server is not on this machine:');
    for (const line of scale.missing) say(`!!   ${line}`);
  }
  const sum = (key) => results.reduce((total, result) => total + result[key], 0);
  const skipped = sum('skipped');
  say(`\n${sum('passed')} passed, ${sum('failed')} failed${skipped ? `, ${skipped} skipped` : ''}`);
  process.exit(sum('failed') === 0 ? 0 : 1);
}
