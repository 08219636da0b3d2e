// Runs the Solidity tests with npm's forge and solc, offline: node contracts/forge.mjs [arguments of forge test]
//   node contracts/forge.mjs                        the normal run, the same random calls each time
//   FOUNDRY_PROFILE=long node contracts/forge.mjs   many more calls of the model, other ones each time
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const long = process.env.FOUNDRY_PROFILE === 'long';

function forgeBinary() {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch;
  try {
    return createRequire(import.meta.url).resolve(`@foundry-rs/forge-${process.platform}-${arch}/bin/forge`);
  } catch {
    return undefined;
  }
}

const forge = forgeBinary();
// On Windows the package has forge.exe, but forge/solc is a shell script there.
if (!forge) {
  console.log(`skipped: the Solidity tests need @foundry-rs/forge, which has no binary for ${process.platform} ${process.arch} here`);
  process.exit(0);
}

const args = process.argv.slice(2);
const seed = long || args.includes('--fuzz-seed') ? [] : ['--fuzz-seed', '1'];
const { status, error } = spawnSync(forge, ['test', '--use', join('forge', 'solc'), ...seed, ...args], { cwd: here, stdio: 'inherit' });
if (error) throw error;
process.exit(status ?? 1);
