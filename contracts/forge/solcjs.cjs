// Speaks the part of solc's command line that forge uses, over npm's solc: --version, and --standard-json on stdin.
const { readFileSync } = require('node:fs');
const solc = require('solc');

if (process.argv.includes('--version')) {
  console.log(`solc, the solidity compiler commandline interface\nVersion: ${solc.version()}`);
} else {
  process.stdout.write(solc.compile(readFileSync(0, 'utf8'), { import: readImport }));
}

function readImport(path) {
  try {
    return { contents: readFileSync(path, 'utf8') };
  } catch (error) {
    return { error: String(error) };
  }
}
