// npm start: installs and builds what is missing, then runs the whole service in this process.
import { existsSync, statSync, utimesSync } from 'node:fs';
import module from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureInstalled } from './install.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const say = (line) => process.stderr.write(`${line}\n`);
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  say(`This service needs Node 20.19 or newer; this is ${process.versions.node}.`);
  process.exit(1);
}
if (!ensureInstalled(root, say)) {
  say('The packages could not be installed; see the reason above. Nothing was started.');
  process.exit(1);
}

const { build, newestSource, PROGRAMS } = await import('./build.mjs');
const program = join(root, 'dist/apps/api/src/main.js');
if (!existsSync(program) || statSync(program).mtimeMs < newestSource()) {
  say('Building …');
  if (!build(PROGRAMS)) process.exit(1);
  utimesSync(program, new Date(), new Date());
}
process.setSourceMapsEnabled(true);
// Node 22 and newer keep what they compiled: the next start is a second shorter.
module.enableCompileCache?.(join(root, 'node_modules/.cache/compiled'));
// A line a request would run through the start screen; LOG_LEVEL=info shows them.
process.env.LOG_LEVEL ??= 'warn';
await import(program);
