// Installs the packages of package-lock.json when they are missing or older than it.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterInstall } from './after-install.mjs';

const STAMP = 'node_modules/.installed-lock';

/** @param {string} root @param {(line: string) => void} say @returns whether the packages are there */
export function ensureInstalled(root, say) {
  const lock = join(root, 'package-lock.json');
  const wanted = createHash('sha256').update(readFileSync(lock)).digest('hex');
  if (installed(root, lock, wanted)) return true;
  say('Installing packages (about a minute the first time) …');
  const npm = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ['npm'];
  const run = spawnSync(npm[0], [...npm.slice(1), 'ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return run.status === 0 && finish(root, wanted);
}

/** The stamp comes last: an installation that was interrupted is finished by the next start. */
function finish(root, wanted) {
  if (!afterInstall(root)) return false;
  writeFileSync(join(root, STAMP), wanted);
  return true;
}

function installed(root, lock, wanted) {
  // A link leads to packages that somebody else looks after; `npm ci` through it would empty theirs.
  if (lstatSync(join(root, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink()) return true;
  const stamp = join(root, STAMP);
  if (existsSync(stamp)) return readFileSync(stamp, 'utf8') === wanted;
  // Installed by hand: npm's own record is newer than the lock file it followed.
  const record = statSync(join(root, 'node_modules/.package-lock.json'), { throwIfNoEntry: false });
  if (!record || record.mtimeMs < statSync(lock).mtimeMs) return false;
  return finish(root, wanted);
}
