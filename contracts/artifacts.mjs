// Prints compiled contracts as TypeScript, in the repository's own format (the formatter must find nothing to change).
const width = 140;
const header = '// Generated from contracts/src by `node contracts/compile.mjs`. Do not edit.\n';

/** File name in contracts/generated → its text. */
export function artifactFiles(contracts, settings, solcVersion) {
  const entries = Object.entries(contracts);
  const abis = entries.map(([key, { abi }]) => `export const ${key}Abi = ${print(abi, 0, 0)} as const;\n`);
  const bytecodes = entries.map(([key, { bytecode }]) => `export const ${key}Bytecode =\n  '${bytecode}';\n`);
  const compiler = `export const compiler = ${print({ version: solcVersion, settings }, 0, 0)} as const;\n`;
  const names = entries.map(([key]) => `${key}Abi`);
  return {
    'abi.ts': [header, ...abis].join('\n'),
    'bytecode.ts': [header, compiler, ...bytecodes].join('\n'),
    'index.ts': `${header}export { ${names.join(', ')} } from './abi.js';\n`,
  };
}

/** A value on one line where it fits and holds at most one nested object, else one member a line. */
function print(value, column, indent) {
  const flat = printFlat(value);
  if (column + flat.length <= width && !mustBreak(value)) {
    return flat;
  }
  const inner = ' '.repeat(indent + 2);
  const outer = ' '.repeat(indent);
  if (Array.isArray(value)) {
    return `[\n${value.map((item) => `${inner}${print(item, indent + 2, indent + 2)},\n`).join('')}${outer}]`;
  }
  const members = Object.entries(value).map(([key, item]) => `${inner}${key}: ${print(item, indent + 2 + key.length + 2, indent + 2)},\n`);
  return `{\n${members.join('')}${outer}}`;
}

function printFlat(value) {
  if (Array.isArray(value)) {
    return `[${value.map(printFlat).join(', ')}]`;
  }
  if (typeof value === 'object') {
    const members = Object.entries(value).map(([key, item]) => `${key}: ${printFlat(item)}`);
    return `{ ${members.join(', ')} }`;
  }
  return typeof value === 'string' ? `'${value}'` : String(value);
}

/** Arrays of several objects, and whatever holds a filled array of objects. */
function mustBreak(value) {
  if (Array.isArray(value)) {
    return value.filter((item) => typeof item === 'object').length > 1 || value.some(mustBreak);
  }
  return typeof value === 'object' && Object.values(value).some((item) => Array.isArray(item) && item.length > 0);
}
