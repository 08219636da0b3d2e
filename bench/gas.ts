// Measures the gas table of the tenant contract on a local chain and writes bench/results/gas.md: node tools/run.mjs bench/gas.js
import { writeFileSync } from 'node:fs';
import { arch, cpus, platform } from 'node:os';
import { hardfork } from '../contracts/gas/anvil.js';
import { GasTable, figures, tolerance } from '../contracts/gas/figures.js';
import { measureGas } from '../contracts/gas/measure-gas.js';
import type { Measurement } from '../contracts/gas/measurement.js';
import { compiler } from '../contracts/generated/bytecode.js';

const measurements = await measureGas();
writeFileSync('bench/results/gas.md', report(measurements));
console.log(report(measurements));

function report(rows: readonly Measurement[]): string {
  const table = new GasTable(rows);
  const { version, settings } = compiler;
  const { tenant } = settings;
  const kept = figures.map(({ name, promised, measured }) => {
    const drift = measured(table) / promised - 1;
    return `| ${name} | ${number(promised)} | ${number(measured(table))} | ${(100 * drift).toFixed(1)} % |`;
  });
  return `# Gas of the contracts

Gas of whole transactions to a clone from the registry, by accounts that are known to the contract unless a row says otherwise. Gas is
deterministic: the machine does not matter, the compiler and the hardfork do. Written by \`node tools/run.mjs bench/gas.js\`.

- ${new Date().toISOString().slice(0, 10)}, ${platform()} ${arch()}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown CPU'}
- solc ${version}, EVM ${tenant.evmVersion}; the tenant contract: ${optimized(tenant)}; passkey accounts: ${optimized(settings.passkeys)}; anvil, hardfork ${hardfork}

## Promised figures

\`npm test\` fails where one drifts by more than ${100 * tolerance} %.

| figure | promised | measured | drift |
|---|--:|--:|--:|
${kept.join('\n')}

## All operations

Per lot: the mean of the batch; for a mint, what each lot after the first adds.

| operation | gas | per lot |
|---|--:|--:|
${rows.map((row) => `| ${row.operation} | ${number(row.gas)} | ${row.perLot === undefined ? '' : number(row.perLot)} |`).join('\n')}
`;
}

function optimized(settings: { readonly optimizer: { readonly runs: number }; readonly viaIR: boolean }): string {
  return `optimizer runs ${settings.optimizer.runs}, ${settings.viaIR ? '' : 'not '}via IR`;
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}
