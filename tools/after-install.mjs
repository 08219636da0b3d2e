// What an installation does after npm has unpacked the packages. npm runs no script of any package (`ignore-scripts` in .npmrc): npm 10 would run those of
// all of them. Here run those that `allowScripts` in package.json allows, then slim.mjs, then the link for `npx nest`.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { link } from './nest.mjs';
import { slim } from './slim.mjs';

const own = fileURLToPath(import.meta.url);

/** @param {string} root @returns {boolean} whether all of it worked */
export function afterInstall(root) {
  const { allowScripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const worked = Object.entries(allowScripts).every(([name, allowed]) => !allowed || runScripts(join(root, 'node_modules', name)));
  slim(join(root, 'node_modules'));
  link();
  return worked;
}

/** Packages for other systems are not there. */
function runScripts(folder) {
  if (!existsSync(folder)) return true;
  const { scripts = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const commands = ['preinstall', 'install', 'postinstall'].flatMap((name) => scripts[name] ?? []);
  return commands.every((command) => spawnSync(command, { cwd: folder, shell: true, stdio: ['ignore', 'ignore', 'inherit'] }).status === 0);
}

if (process.argv[1] === own && !afterInstall(join(dirname(own), '..'))) process.exit(1);
