// Before `npm pack` in libs/client: compiles the client for a package, with its types, and brings the licence. `--clean`: after it.
import { spawnSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const client = join(root, 'libs/client');

for (const made of ['dist', 'LICENSE']) rmSync(join(client, made), { recursive: true, force: true });
if (process.argv[2] !== '--clean') {
  cpSync(join(root, 'LICENSE'), join(client, 'LICENSE'));
  const compiler = [join(root, 'node_modules/typescript7/bin/tsc'), '-p', join(client, 'tsconfig.json')];
  process.exitCode = spawnSync(process.execPath, compiler, { stdio: 'inherit' }).status ?? 1;
}
