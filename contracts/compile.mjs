// Compiles contracts/src with npm's solc and writes contracts/generated.
//   node contracts/compile.mjs          write the artifacts
//   node contracts/compile.mjs --check  compare the committed artifacts with the sources; exit 1 and name the stale files if they differ
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { artifactFiles } from './artifacts.mjs';
import { solcSettings } from './solc-settings.mjs';

const require = createRequire(import.meta.url);
const here = dirname(fileURLToPath(import.meta.url));
// A compiler that runs once: to optimise its WebAssembly takes longer than it saves.
setFlagsFromString('--liftoff-only');
/** By the settings they are compiled with. */
const deployed = {
  tenant: { tenantLots: 'TenantLots', tenantRegistry: 'TenantRegistry' },
  passkeys: { passkeyAccount: 'PasskeyAccount', passkeyAccountFactory: 'PasskeyAccountFactory' },
};

/** EIP-170: an account's code may not be longer. */
const codeSizeLimit = 24_576;

function compile() {
  return Object.fromEntries(
    Object.entries(deployed).flatMap(([group, names]) => {
      const output = compileWith(solcSettings[group], Object.values(names));
      return Object.entries(names).map(([key, name]) => [key, { name, ...sizedContract(output, name) }]);
    }),
  );
}

function compileWith(settings, names) {
  const solc = require('solc');
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(names.map((name) => [`src/${name}.sol`, { content: readSource(join(here, 'src', `${name}.sol`)) }])),
    settings: { ...settings, outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } } },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: resolveImport }));
  const problems = (output.errors ?? []).filter((problem) => !isOfPackage(problem));
  if (problems.length > 0) {
    throw new Error(problems.map((problem) => problem.formattedMessage).join('\n'));
  }
  return output;
}

/** A warning about the code of a package is its authors'. */
const isOfPackage = ({ severity, sourceLocation }) => severity === 'warning' && !(sourceLocation?.file ?? 'src/').startsWith('src/');

function sizedContract(output, name) {
  const contract = output.contracts[`src/${name}.sol`][name];
  const size = contract.evm.deployedBytecode.object.length / 2;
  if (size > codeSizeLimit) {
    throw new Error(`${name} has ${size} bytes of code, ${size - codeSizeLimit} more than an account may have (EIP-170)`);
  }
  return { abi: contract.abi, bytecode: `0x${contract.evm.bytecode.object}`, size };
}

function resolveImport(path) {
  try {
    return { contents: readSource(path.startsWith('src/') ? join(here, path) : require.resolve(path)) };
  } catch (error) {
    return { error: String(error) };
  }
}

/** A checkout with CRLF line ends must not give other artifacts. */
function readSource(path) {
  return readFileSync(path, 'utf8').replaceAll('\r\n', '\n');
}

function committed(path) {
  try {
    return readSource(path);
  } catch {
    return undefined;
  }
}

const contracts = compile();
const files = Object.entries(artifactFiles(contracts, solcSettings, require('solc').version()));
const pathOf = (name) => join(here, 'generated', name);

if (process.argv.includes('--check')) {
  const stale = files.filter(([name, text]) => committed(pathOf(name)) !== text).map(([name]) => `contracts/generated/${name}`);
  if (stale.length > 0) {
    console.error(`stale: ${stale.join(', ')}\nrun: node contracts/compile.mjs`);
    process.exit(1);
  }
  console.log('contracts/generated agrees with contracts/src');
} else {
  for (const [name, text] of files) {
    writeFileSync(pathOf(name), text);
  }
  for (const { name, size } of Object.values(contracts)) {
    console.log(`${name}: ${size} bytes of code, ${codeSizeLimit - size} to spare`);
  }
}
