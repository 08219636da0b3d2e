import type { Command } from 'commander';
import { configFrom } from '#config';
import { databaseOf } from '../operator.js';
import { storeSizes } from './folder-sizes.js';
import { type Area, tableSizes } from './table-sizes.js';

export function addStorage(program: Command, say: (line: string) => void): void {
  program
    .command('storage')
    .description(
      'what takes how much: rows, bytes and the oldest row of each table, of the content store and of the embedded engines, and what limits it',
    )
    .option('--json', 'as JSON, with every table')
    .action(async ({ json = false }: { json?: boolean }) => {
      const config = configFrom(process.env);
      const [tables, stores] = await Promise.all([tableSizes(databaseOf(config)), storeSizes(config)]);
      if (json) say(JSON.stringify({ tables, stores }, null, 2));
      else for (const line of linesOf(tables, stores)) say(line);
    });
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

export function inWords(bytes: number): string {
  const unit = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(bytes, 1)) / 10));
  const value = bytes / 2 ** (10 * unit);
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toPrecision(3)} ${UNITS[unit]!}`;
}

/** Empty tables are one line. */
export function linesOf(tables: readonly Area[], stores: readonly Area[]): readonly string[] {
  const filled = tables.filter(({ count }) => count !== 0);
  const rows = [['', 'rows or files', 'size', 'oldest', 'kept'], ...[...filled, ...stores].map(cellsOf)];
  const widths = rows[0]!.map((_, i) => Math.max(...rows.map((row) => row[i]!.length)));
  const total = tables.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0);
  return [
    ...rows.map((row) =>
      row
        .map((cell, i) => (i === 1 || i === 2 ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!)))
        .join('  ')
        .trimEnd(),
    ),
    '',
    `${tables.length} tables, ${tables.length - filled.length} of them empty, ${inWords(total)} with their indexes.`,
  ];
}

const cellsOf = ({ name, count, isEstimate = false, bytes, oldest, kept }: Area): string[] => [
  name,
  count === null ? '?' : `${isEstimate ? '~' : ''}${count.toLocaleString('en')}`,
  bytes === null ? '?' : inWords(bytes),
  oldest?.slice(0, 10) ?? '',
  kept,
];
