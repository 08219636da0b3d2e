// npm run size: what the installed packages take on disk, against the budget that CONTRIBUTING states.
import { lstatSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
export const BUDGET_MB = 550;
const BLOCK = 512;
/** Caches of tools are not installed. */
const CACHES = new Set(['.cache', '.vite']);

/** Bytes on disk below a folder, as `du` counts them; a file with two names counts once. */
function bytesOf(path, seen) {
  const stat = lstatSync(path);
  if (stat.nlink > 1 && !stat.isDirectory()) {
    if (seen.has(stat.ino)) return 0;
    seen.add(stat.ino);
  }
  let bytes = stat.blocks * BLOCK;
  if (stat.isDirectory()) for (const name of readdirSync(path)) if (!CACHES.has(name)) bytes += bytesOf(join(path, name), seen);
  return bytes;
}

/** @returns {{ total: number, packages: [name: string, megabytes: number][] }} in megabytes (2^20), the largest first */
export function installed(folder = join(root, 'node_modules')) {
  const seen = new Set();
  const packages = readdirSync(folder)
    .filter((name) => !CACHES.has(name))
    .map((name) => [name, bytesOf(join(folder, name), seen) / 2 ** 20])
    .toSorted(([, a], [, b]) => b - a);
  return { total: packages.reduce((sum, [, size]) => sum + size, 0), packages };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { total, packages } = installed();
  for (const [name, size] of packages.slice(0, 40)) process.stdout.write(`${size.toFixed(1).padStart(8)} MB  ${name}\n`);
  process.stdout.write(`${total.toFixed(1).padStart(8)} MB  in all; the budget is ${BUDGET_MB} MB\n`);
  process.exit(total > BUDGET_MB ? 1 : 0);
}
