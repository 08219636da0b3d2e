// Compiles the whole repository with TypeScript 7 into dist/ and copies the files that the code reads from its own folder.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const SOURCES = ['apps', 'libs', 'contracts', 'test', 'bench', 'docs/how-to/receivers'];
const GENERATED = new Set(['out', 'cache']);
/** For tools only. */
const NOT_READ = new Set(['package.json', 'tsconfig.json']);
const READ_AT_RUN_TIME = new Set(['.sql', '.json', '.html', '.css']);

/** Without tests and benchmarks: what a service that is started needs, in two thirds of the time. */
export const PROGRAMS = 'tsconfig.build.json';

/** What the compiler made of everything the last time, with its notes: a second build compiles only what has changed. */
const KEPT = join(root, '.dist-kept');
const NOTES = '.tsbuildinfo';

/**
 * Compiles into a folder next to `dist` and moves each tree into place when all are complete. So programs that run from the old one,
 * and a second build at the same time, never find half of it. After a compiler error the old one stays.
 * @param project what is compiled: everything, or PROGRAMS
 * @returns whether the compiler found no error
 */
export function build(project = 'tsconfig.json') {
  // At the same depth as `dist`, because source maps have relative paths.
  const fresh = join(root, `.dist-${process.pid}`);
  try {
    if (!(project === PROGRAMS ? compile(project, fresh) : compileChanges(project, fresh))) return false;
    const trees = project === PROGRAMS ? ['apps', 'libs', 'contracts'] : SOURCES;
    for (const tree of trees) copyAssets(tree, fresh);
    if (!BUNDLES.every((one) => bundle(one, fresh))) return false;
    for (const tree of trees)
      if (existsSync(join(fresh, tree))) replace(join(root, 'dist', tree), join(fresh, tree), join(fresh, 'old', tree));
    return true;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

function compile(project, out, ...options) {
  const args = [join(root, 'node_modules/typescript7/bin/tsc'), '-p', project, '--outDir', out, ...options];
  return spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status === 0;
}

/** Takes the kept folder while it works, so that a second build at the same time begins without one; copies it, because the compiler writes into its files. */
function compileChanges(project, fresh) {
  const mine = `${fresh}-kept`;
  try {
    moved(KEPT, mine, 'ENOENT');
    removeOutdated(mine, '');
    if (!compile(project, mine, '--incremental', '--tsBuildInfoFile', join(mine, NOTES))) return false;
    cpSync(mine, fresh, { recursive: true });
    return true;
  } finally {
    if (existsSync(mine)) moved(mine, KEPT, 'ENOTEMPTY', 'EEXIST');
    rmSync(mine, { recursive: true, force: true });
  }
}

/** What was compiled from a file that is no longer there. */
function removeOutdated(kept, path) {
  for (const entry of existsSync(kept) ? readdirSync(join(kept, path), { withFileTypes: true }) : []) {
    const here = join(path, entry.name);
    if (entry.isDirectory()) removeOutdated(kept, here);
    else if (entry.name !== NOTES && !existsSync(join(root, here.replace(/\.js(\.map)?$/, '.ts')))) rmSync(join(kept, here));
  }
}

const guide = join(root, 'tools/guide.mjs');
/** Pages of the guide that are not in docs; none where only this file is copied. */
const otherPages = existsSync(guide) ? (await import('./guide.mjs')).OTHERS : [];

/** What Vite bundles, or a script makes, into a folder of `dist`, and only when what it is made from has changed: that takes seconds. */
const BUNDLES = [
  {
    name: 'portal',
    config: 'apps/portal/vite.config.mjs',
    madeFrom: ['apps/portal', 'libs/client/src', 'package-lock.json', 'tsconfig.json'],
    // Its types are not part of the service's.
    types: 'apps/portal/tsconfig.json',
  },
  {
    name: 'verify-page',
    config: 'libs/passports/vite.config.mjs',
    madeFrom: ['libs/passports/vite.config.mjs', 'libs/passports/src/verifier', 'package-lock.json', 'tsconfig.json'],
  },
  {
    name: 'guide',
    script: 'tools/guide.mjs',
    needs: 'marked',
    madeFrom: ['docs', ...otherPages, 'tools/guide.mjs', 'tools/diagrams.mjs', 'tools/guide', 'package-lock.json'],
  },
];

function bundle({ name, config, script, needs, madeFrom, types }, fresh) {
  if (!existsSync(join(root, config ?? script))) return true;
  if (needs && !existsSync(join(root, 'node_modules', needs))) {
    process.stderr.write(`Without ${needs} the ${name} was not built: run npm install.\n`);
    return true;
  }
  const wanted = contentOf(...madeFrom);
  const [place, out] = [join(root, 'dist', name), join(fresh, name)];
  const stamp = (folder) => join(folder, '.made-from');
  if (existsSync(stamp(place)) && readFileSync(stamp(place), 'utf8') === wanted) return true;
  for (const command of [
    ...(types ? [['typescript7/bin/tsc', '-p', types]] : []),
    script
      ? [join('..', script), out]
      : ['vite/bin/vite.js', 'build', '--config', config, '--outDir', out, '--emptyOutDir', '--logLevel', 'warn'],
  ])
    if (
      spawnSync(process.execPath, [join(root, 'node_modules', command[0]), ...command.slice(1)], { cwd: root, stdio: 'inherit' }).status !==
      0
    )
      return false;
  writeFileSync(stamp(out), wanted);
  replace(place, out, join(fresh, 'old', name));
  return true;
}

function contentOf(...paths) {
  const hash = createHash('sha256');
  const read = (path) => {
    if (statSync(join(root, path)).isDirectory()) for (const name of readdirSync(join(root, path)).toSorted()) read(join(path, name));
    else hash.update(`${path}\0`).update(readFileSync(join(root, path)));
  };
  paths.forEach(read);
  return hash.digest('hex');
}

/** Two renames; repeated if another build has put its own tree there in between. */
function replace(place, fresh, old) {
  for (const path of [place, old]) mkdirSync(dirname(path), { recursive: true });
  for (let attempt = 0; existsSync(fresh); attempt++) {
    moved(place, `${old}-${attempt}`, 'ENOENT');
    moved(fresh, place, 'ENOTEMPTY', 'EEXIST');
  }
}

function moved(from, to, ...unless) {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!unless.includes(error.code)) throw error;
  }
}

function copyAssets(path, target) {
  for (const entry of existsSync(join(root, path)) ? readdirSync(join(root, path), { withFileTypes: true }) : []) {
    const here = join(path, entry.name);
    if (entry.isDirectory() && !GENERATED.has(entry.name) && !['node_modules', 'portal'].includes(entry.name)) copyAssets(here, target);
    else if (entry.isFile() && READ_AT_RUN_TIME.has(extname(entry.name)) && !NOT_READ.has(entry.name))
      cpSync(join(root, here), join(target, here));
  }
}

/**
 * Newest change below the sources, in milliseconds since the epoch. A folder counts by its own time too, for a file that was
 * deleted, but not where a tool writes generated files: that would build the same again below a running program.
 */
export function newestSource(paths = [...SOURCES, 'package.json', 'tsconfig.json', PROGRAMS]) {
  const walk = (path) => {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat) return 0;
    if (!stat.isDirectory()) return stat.mtimeMs;
    const names = readdirSync(path);
    const sources = names.filter((name) => !GENERATED.has(name));
    return Math.max(sources.length < names.length ? 0 : stat.mtimeMs, ...sources.map((name) => walk(join(path, name))));
  };
  return Math.max(...paths.map((path) => walk(join(root, path))));
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  process.exit(build(process.argv.includes('--programs') ? PROGRAMS : undefined) ? 0 : 1);
