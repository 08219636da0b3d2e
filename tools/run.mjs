// Runs a compiled program of this repository, building first when the sources are newer: node tools/run.mjs apps/cli/src/main.js …
import { existsSync, statSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { build, newestSource, root } from './build.mjs';
import { ensureInstalled } from './install.mjs';

if (!ensureInstalled(root, (line) => process.stderr.write(`${line}\n`))) process.exit(1);
const [program, ...rest] = process.argv.slice(2);
const file = join(root, 'dist', program);
if ((!existsSync(file) || statSync(file).mtimeMs < newestSource()) && !build()) process.exit(1);
process.argv = [process.argv[0], file, ...rest];
process.setSourceMapsEnabled(true);
module.enableCompileCache?.(join(root, 'node_modules/.cache/compiled'));
await import(file);
