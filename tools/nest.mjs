#!/usr/bin/env node
// npx nest info, npx nest generate service lots/lot-labels --project traceability --dry-run: Nest's own command line, for which nest-cli.json
// describes the projects. It is 80 MB, and nothing here needs it to run: it is fetched into a cache when it is first asked for.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGES = ['@nestjs/cli@12.0.8', '@nestjs/schematics@12.0.6', 'typescript@6.0.3'];
const own = fileURLToPath(import.meta.url);
const root = join(dirname(own), '..');

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === own) process.exit(run(process.argv.slice(2)));

function run(args) {
  const folder = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'traceability-service/nest', PACKAGES[0].split('@').at(-1));
  const program = join(folder, 'node_modules/@nestjs/cli/bin/nest.js');
  if (!existsSync(program)) {
    process.stderr.write("Fetching Nest's command line (once) …\n");
    mkdirSync(folder, { recursive: true });
    const npm = [
      'install',
      '--prefix',
      folder,
      '--no-save',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
      '--engine-strict=false',
      ...PACKAGES,
    ];
    const fetched = spawnSync('npm', npm, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
    if (fetched.status !== 0) return 1;
  }
  return spawnSync(process.execPath, [program, ...args], { cwd: root, stdio: 'inherit' }).status ?? 1;
}

/** Puts this program where `npx nest` looks; after each installation. */
export function link() {
  const bin = join(root, 'node_modules/.bin');
  if (!existsSync(bin) || process.platform === 'win32') return;
  rmSync(join(bin, 'nest'), { force: true });
  symlinkSync('../../tools/nest.mjs', join(bin, 'nest'));
  chmodSync(own, 0o755);
}
