import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type ImportView, TraceabilityClient } from '#client';
import { type Line, workbookStream } from '#spreadsheets';
import { readScenario } from '../apps/cli/src/demo/scenario.js';
import { type DemoService, withDemoService } from './demo-service.js';
import type { Measurement, Scenario } from './report.js';

const ROWS = Number(process.env['IMPORT_ROWS'] ?? 100_000);
const MIB = 2 ** 20;
type Json = Record<string, unknown>;

setFlagsFromString('--expose_gc');
const collect = runInNewContext('gc') as () => void;

export const scenario: Scenario = {
  name: 'imports',
  about: `A spreadsheet of ${ROWS} harvests, sent to \`POST /api/v1/imports\` and checked row by row (dry run), as CSV and as XLSX; one row in a hundred has an error. The whole service with its worker is one process, its engines are others; the client is in the same process. Memory is the resident set of the process, sampled every 50 ms, over that of before, after a collection. Time is from the first byte sent to the state \`checked\`.`,
  run: (say) => withDemoService('imports', (demo) => imports(demo, say)),
};

async function imports(demo: DemoService, say: (line: string) => void): Promise<Measurement[]> {
  const { email, password } = demo.tenant.actors['farmA']!;
  const api = await TraceabilityClient.login(demo.service.baseUrl, email, password);
  const mapping = mappingOf();
  const { id: mappingId } = (await api.imports.keepMapping('bench', mapping)) as { id: string };
  const check = async (file: Blob, name: string): Promise<ImportView> => {
    const { id } = await api.imports.start(file, name, { mappingId });
    for (;;) {
      const found = await api.imports.get(id);
      if (found.state !== 'waiting' && found.state !== 'running') return found;
      await pause(200);
    }
  };
  // Plans, caches and the compiler.
  await check(csvOf(2_000), 'warm.csv');
  const measured: Measurement[] = [];
  for (const [name, file] of [['CSV', csvOf(ROWS)] as const, ['XLSX', await xlsxOf(ROWS)] as const]) {
    collect();
    const idle = process.memoryUsage.rss();
    let most = idle;
    const watch = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 50);
    const began = performance.now();
    const { state, rows, failure } = await check(file, `rows.${name.toLowerCase()}`);
    const seconds = (performance.now() - began) / 1_000;
    clearInterval(watch);
    if (state !== 'checked') throw new Error(`${name}: ${state} ${JSON.stringify(failure)}`);
    say(
      `${name}: ${seconds.toFixed(1)} s, ${((most - idle) / MIB).toFixed(0)} MiB over ${(idle / MIB).toFixed(0)}, ${JSON.stringify(rows)}`,
    );
    measured.push(
      { what: `${name}: ${ROWS} rows checked (${(file.size / MIB).toFixed(1)} MiB)`, value: seconds, unit: 's', limit: 'below 120' },
      { what: `${name}: memory over idle`, value: (most - idle) / MIB, unit: 'MiB', limit: 'below 300' },
      { what: `${name}: rows with an error that were named`, value: rows.invalid, unit: '', limit: String(Math.floor(ROWS / 100)) },
    );
  }
  return measured;
}

const HEADERS = ['Charge', 'Erntedatum', 'Menge', 'Einheit', 'Sorte'];

/** One in a hundred has an amount that is none. */
const valuesOf = (row: number): readonly string[] => [
  ...[`RH-20260513-B${row}`, `${String((row % 28) + 1).padStart(2, '0')}.05.2026`],
  ...[row % 100 === 99 ? 'viel' : `1.${String(row % 1_000).padStart(3, '0')},5`, 'kg', 'Jasmine 85'],
];

const csvOf = (rows: number): Blob =>
  new Blob([[HEADERS, ...Array.from({ length: rows }, (_, row) => valuesOf(row))].map((line) => line.join(';')).join('\n')]);

async function xlsxOf(rows: number): Promise<Blob> {
  const pages = function* (): Generator<readonly Line[]> {
    for (let from = 0; from < rows; from += 1_000)
      yield Array.from({ length: Math.min(1_000, rows - from) }, (_, i) =>
        Object.fromEntries(valuesOf(from + i).map((value, column) => [HEADERS[column]!, value])),
      );
  };
  const pieces: Uint8Array[] = [];
  for await (const piece of workbookStream({ name: 'Ernte', columns: HEADERS }, pages())) pieces.push(piece);
  return new Blob(pieces as BlobPart[]);
}

function mappingOf(): Json {
  const stages = readScenario('rice').steps as unknown as readonly { readonly processType?: string; readonly metadata: Json }[];
  const {
    quantity: _,
    variety: _variety,
    harvestedOn: _on,
    ...rest
  } = stages.find(({ processType }) => processType === 'RICE_HARVESTING')!.metadata;
  return {
    processType: 'RICE_HARVESTING',
    columns: [
      { column: 'Charge', to: '/outputTlc', as: 'text' },
      { column: 'Erntedatum', to: '/metadata/harvestedOn', as: 'date', dateForm: 'DD.MM.YYYY' },
      { column: 'Menge', to: '/metadata/quantity/value', as: 'number', decimal: ',' },
      { column: 'Einheit', to: '/metadata/quantity/uom', as: 'unit' },
      { column: 'Sorte', to: '/metadata/variety', as: 'text' },
    ],
    constants: scalars(rest, '/metadata'),
  };
}

function scalars(value: unknown, pointer: string): { readonly to: string; readonly value: { readonly is: unknown } }[] {
  if (typeof value !== 'object' || value === null) return [{ to: pointer, value: { is: value } }];
  return Object.entries(value).flatMap(([name, inner]) => scalars(inner, `${pointer}/${name}`));
}
