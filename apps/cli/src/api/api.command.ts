import { createWriteStream, openAsBlob } from 'node:fs';
import { readFile, rename, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import {
  ApiProblem,
  type ImportView,
  type LotAcknowledgement,
  type TableFormat,
  TraceabilityClient,
  followChanges,
  listAll,
} from '#client';
import { OperatorError } from '../../../runtime/src/index.js';

type Say = (line: string) => void;
type Run = (work: (api: TraceabilityClient) => Promise<void>) => Promise<void>;

const EVERY_MS = 250;
const STATES = ['quarantined', 'returned', 'destroyed', 'not_found'] as const;

/** What users of the service do over HTTP, with a key of the API. They need neither the database nor the settings of the service. */
export function addApi(program: Command, say: Say): void {
  addImport(program, say);
  addDocument(program, say);
  addExport(program, say);
  addFollow(program, say);
  addAcknowledge(program, say);
}

/** @throws OperatorError without a key, and for what the service refuses */
async function withKey(work: (api: TraceabilityClient) => Promise<void>): Promise<void> {
  const { TRACE_API_KEY: apiKey, TRACE_BASE_URL: baseUrl = 'http://127.0.0.1:3000' } = process.env;
  if (!apiKey) throw new OperatorError('Set TRACE_API_KEY to a key of the API, and TRACE_BASE_URL to the address of the service.');
  try {
    await work(new TraceabilityClient(baseUrl.replace(/\/+$/, ''), { apiKey }));
  } catch (error) {
    if (error instanceof ApiProblem)
      throw new OperatorError([error.message, ...error.errors.map(({ pointer, message }) => `${pointer}: ${message}`)].join('\n'));
    if (error instanceof TypeError && error.message === 'fetch failed')
      throw new OperatorError(`No service answers at ${baseUrl}: set TRACE_BASE_URL to its address.`);
    throw error;
  }
}

const run: Run = withKey;

interface ImportOptions {
  readonly process?: string;
  readonly mapping?: string;
  readonly mappingId?: string;
  readonly sheet?: string;
  readonly prepare?: 'all' | 'valid';
  readonly marked?: string;
}

function addImport(program: Command, say: Say): void {
  program
    .command('import <file>')
    .description(
      'send a spreadsheet whose rows become events (TRACE_API_KEY): propose a mapping, or check the rows, or prepare their events',
    )
    .option('--process <type>', 'process that the rows record; needed for a proposal')
    .option('--mapping <file>', 'JSON file with the mapping of its columns')
    .option('--mapping-id <id>', 'kept mapping')
    .option('--sheet <name>', 'worksheet; the first one by default')
    .addOption(new Option('--prepare <rows>', 'prepare the events, all or those of valid rows').choices(['all', 'valid']))
    .option('--marked <file>', 'write the file with its problems marked')
    .action((path: string, options: ImportOptions) => run((api) => importFile(api, path, options, say)));
}

async function importFile(api: TraceabilityClient, path: string, options: ImportOptions, say: Say): Promise<void> {
  const { process: processType, mapping, mappingId, sheet, prepare, marked } = options;
  const given = { processType, mappingId, sheet };
  const said = Object.fromEntries(Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined));
  const { id } = await api.imports.start(await blobOf(path), basename(path), said);
  let found = await ended(api, id);
  if (mapping !== undefined && found.state === 'proposed') {
    await api.imports.check(id, { mapping: (await jsonOf(mapping)) as object });
    found = await ended(api, id);
  }
  if (found.state === 'proposed') return say(JSON.stringify({ id, ...(found.proposal as object) }, null, 2));
  if (prepare !== undefined && found.state === 'checked') {
    await api.imports.prepare(id, { rows: prepare });
    found = await ended(api, id);
  }
  for await (const { row, problems } of listAll<{ row: number; problems: readonly { column: string | null; message: string }[] }>(
    api,
    `/api/v1/imports/${id}/problems?limit=100`,
  ))
    for (const { column, message } of problems) say(`${column ?? 'row '}${row}: ${message}`);
  if (marked !== undefined) await writeFile(marked, (await api.imports.markedFile(id)).stream());
  const { valid, invalid, prepared, repeated } = found.rows;
  say(`import ${id} is ${found.state}: ${valid} rows valid, ${invalid} with problems, ${prepared} prepared, ${repeated} prepared before.`);
  if (found.state === 'failed') throw new OperatorError((found.failure as { message: string }).message);
  if (invalid > 0) process.exitCode = 1;
}

async function ended(api: TraceabilityClient, id: string): Promise<ImportView> {
  for (;;) {
    const found = await api.imports.get(id);
    if (found.state !== 'waiting' && found.state !== 'running') return found;
    await pause(EVERY_MS);
  }
}

function addDocument(program: Command, say: Say): void {
  program
    .command('document <file>')
    .description('store a document that events refer to, and print its id and hash (TRACE_API_KEY)')
    .option('--type <type>', 'what it is, such as CERTIFICATE')
    .option('--number <number>', 'its number')
    .option('--visibility <visibility>', 'who reads it')
    .action((path: string, options: Record<string, string>) =>
      run(async (api) => say(JSON.stringify(await api.documents.upload(await blobOf(path), basename(path), options), null, 2))),
    );
}

interface ExportOptions {
  readonly format: TableFormat;
  readonly to: string;
  readonly process?: string;
  readonly org?: string;
  readonly filter: readonly string[];
}

function addExport(program: Command, say: Say): void {
  program
    .command('export <what>')
    .description('write all events, lots, transfers (with --org), or a report by its name, as one table (TRACE_API_KEY)')
    .requiredOption('--to <file>', 'file that is written')
    .addOption(new Option('--format <format>', 'format').choices(['csv', 'xlsx', 'ndjson']).default('csv'))
    .option('--process <type>', 'events of this process, in a table that can be imported again')
    .option('--org <id>', 'organisation, for transfers')
    .option('--filter <name=value>', 'parameter of the list; may be repeated', (one: string, all: readonly string[]) => [...all, one], [])
    .action((what: string, options: ExportOptions) =>
      run(async (api) => {
        await writeFile(options.to, await tableOf(api, what, options));
        say(`${options.to} is written.`);
      }),
    );
}

function tableOf({ tables }: TraceabilityClient, what: string, { format, process: processType, org, filter }: ExportOptions) {
  const query = Object.fromEntries(filter.map((one): [string, string] => [one.split('=', 1)[0]!, one.slice(one.indexOf('=') + 1)]));
  if (what === 'events') return tables.events(format, { ...query, ...(processType !== undefined && { processType }) });
  if (what === 'lots') return tables.lots(format, query);
  if (what !== 'transfers') return tables.report(what, format, query);
  if (org === undefined) throw new OperatorError('Transfers are of an organisation: pass its id with --org.');
  return tables.transfers(org, format, query);
}

function addFollow(program: Command, say: Say): void {
  program
    .command('follow')
    .description('print each change as a line of JSON as it comes (TRACE_API_KEY); the last line of each page is its cursor')
    .option('--after <cursor>', 'cursor of the last line that was processed; `latest` for changes from now on')
    .option('--topics <topics>', 'commas between them')
    .option('--once', 'end when there are no more changes')
    .action(({ after, topics, once }: { after?: string; topics?: string; once?: true }) =>
      run(async (api) => {
        const options = { ...(after !== undefined && { after }), ...(topics !== undefined && { topics: topics.split(',') }) };
        for await (const { data, cursor, more } of followChanges(api, { ...options, waitSeconds: once ? 0 : 50 })) {
          for (const change of data) say(JSON.stringify(change));
          if (data.length > 0 || once) say(JSON.stringify({ cursor }));
          if (once && !more) return;
        }
      }),
    );
}

function addAcknowledge(program: Command, say: Say): void {
  program
    .command('acknowledge <recallId>')
    .description('say what you did with lots of a recall that you hold (TRACE_API_KEY)')
    .requiredOption(
      '--lot <tokenId=state>',
      `${STATES.join(', ')}; with a quantity: 7=returned:12.5:KGM; may be repeated`,
      (one: string, all: readonly LotAcknowledgement[] | undefined) => [...(all ?? []), lotOf(one)],
    )
    .action((recallId: string, { lot }: { lot: readonly LotAcknowledgement[] }) =>
      run(async (api) => say(JSON.stringify(await api.recalls.acknowledge(recallId, lot)))),
    );
}

function lotOf(text: string): LotAcknowledgement {
  const [, token, state, value, uom] = /^(\d{1,15})=([a-z_]+)(?::([\d.]+):(\w+))?$/.exec(text) ?? [];
  const known = STATES.find((one) => one === state);
  if (token === undefined || known === undefined)
    throw new OperatorError(`--lot ${text} is not of the form 7=quarantined. The states are ${STATES.join(', ')}.`);
  return { tokenId: Number(token), state: known, ...(value !== undefined && { quantity: { value, uom: uom! } }) };
}

/** The file has its name when it is whole. */
async function writeFile(path: string, bytes: ReadableStream<Uint8Array>): Promise<void> {
  try {
    await pipeline(Readable.fromWeb(bytes as Parameters<typeof Readable.fromWeb>[0]), createWriteStream(`${path}.part`));
    await rename(`${path}.part`, path);
  } catch (error) {
    await rm(`${path}.part`, { force: true });
    if (error instanceof Error && 'syscall' in error) throw new OperatorError(`${path} cannot be written: ${error.message}`);
    throw error;
  }
}

const blobOf = (path: string): Promise<Blob> =>
  openAsBlob(path).catch(() => {
    throw new OperatorError(`There is no file ${path}.`);
  });

async function jsonOf(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as unknown;
  } catch (error) {
    throw new OperatorError(`${path} is no JSON file that can be read: ${(error as Error).message}`);
  }
}
