// Compiles the whole repository with TypeScript 7 into dist/ and copies what is read from beside the code.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const SOURCES = ['apps', 'libs', 'contracts', 'test', 'bench', 'docs/how-to/receivers'];
const GENERATED = new Set(['out', 'cache']);
const READ_AT_RUN_TIME = new Set(['.sql', '.json', '.html', '.css']);

/** @returns whether the compiler was content */
export function build() {
  for (const tree of SOURCES) rmSync(join(root, 'dist', tree), { recursive: true, force: true });
  const compiled = spawnSync(process.execPath, [join(root, 'node_modules/typescript7/bin/tsc'), '-p', 'tsconfig.json'], {
    cwd: root,
    stdio: 'inherit',
  });
  if (compiled.status !== 0) return false;
  for (const tree of SOURCES) copyAssets(tree);
  return true;
}

function copyAssets(path) {
  for (const entry of existsSync(join(root, path)) ? readdirSync(join(root, path), { withFileTypes: true }) : []) {
    const here = join(path, entry.name);
    if (entry.isDirectory() && !GENERATED.has(entry.name) && !['node_modules', 'portal'].includes(entry.name)) copyAssets(here);
    else if (entry.isFile() && READ_AT_RUN_TIME.has(extname(entry.name))) cpSync(join(root, here), join(root, 'dist', here));
  }
}

/**
 * Newest change below the sources, in milliseconds since the epoch. A folder counts by its own time too, for a file that was
 * deleted, but not where a tool puts what it generates: nothing would be built anew but the same, under what runs on it.
 */
export function newestSource(paths = [...SOURCES, 'package.json', 'tsconfig.json']) {
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

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exit(build() ? 0 : 1);
