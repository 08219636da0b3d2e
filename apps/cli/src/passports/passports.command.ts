import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { configFrom } from '#config';
import { Clock } from '#kernel';
import { UnitOfWork } from '#persistence';
import { type AskChain, ExportPassports, type ExportTarget, MakeBackUp, verifyBundle } from '#passports';
import { OperatorError } from '../../../runtime/src/index.js';
import { asExporter } from './exporter.js';

type Say = (line: string) => void;

const MARKS = { ok: 'ok       ', broken: 'BROKEN   ', left_out: 'omitted  ', not_asked: 'unchecked', unanswered: 'no answer' };

/** Checks the evidence of passports. It needs the file only: no service, database or setting. */
export function addPassports(program: Command, say: Say): void {
  program
    .command('verify <file>')
    .description(
      'check the evidence file of a product passport, link by link; exits with 1 when a link is broken or the node does not answer',
    )
    .option('--rpc <url>', 'JSON-RPC address of a node of the chain, to check that the blocks are on it')
    .action(async (file: string, { rpc }: { rpc?: string }) => {
      const { ok, links } = await verifyBundle(textOf(file), rpc === undefined ? undefined : askNode(addressIn(rpc)));
      for (const { link, of, state, detail } of links) say(`${MARKS[state]}  ${of}, ${link}: ${detail}`);
      const broken = links.some(({ state }) => state === 'broken');
      say(
        ok
          ? 'Every link that could be checked is valid.'
          : broken
            ? 'The file is not valid.'
            : 'The node did not answer; the file itself is valid.',
      );
      if (!ok) process.exitCode = 1;
    });
  addExport(program, say);
  const passports = program.command('passports').description('back-ups of passports');
  addMakeBackUp(passports, say);
  addServeBackUp(passports, say);
}

/** Writes a tenant's passports with all versions, as EN 18222 reads them. */
function addMakeBackUp(passports: Command, say: Say): void {
  passports
    .command('back-up <tenant> <folder>')
    .description('write all public passports of a tenant with all of their versions as files; repeat it with the same folder to update it')
    .action(async (tenant: string, folder: string) => {
      const config = configFrom(process.env);
      await asExporter(config, [], async (app) => {
        const tenantId = await tenantOf(app.get(UnitOfWork), tenant);
        const counts = await app.get(MakeBackUp).make({ tenantId, slug: tenant }, new Clock(), intoFolder(resolve(folder)));
        const { passports: written, versions, omitted, asOf } = counts;
        say(`${written} passports with ${versions} versions in ${folder}; ${omitted} that are not public omitted.`);
        say(`Recovery point: block ${asOf.block} of chain ${asOf.chainId}, ${asOf.time}.`);
      });
    });
}

/** Needs the folder only: no database, chain or setting. */
function addServeBackUp(passports: Command, say: Say): void {
  passports
    .command('serve-back-up <folder>')
    .description('answer the methods of EN 18222 that read from a back-up alone, until the process ends')
    .option('--port <port>', 'port to listen at', '3000')
    .option('--host <host>', 'address to listen at', '127.0.0.1')
    .action(async (folder: string, { port, host }: { port: string; host: string }) => {
      if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) throw new OperatorError(`${port} is not a port.`);
      const { openBackUp, backUpServer } = await import('./back-up-server.js');
      const { manifest, backUp } = await openBackUp(resolve(folder));
      const server = backUpServer(backUp).listen(Number(port), host);
      await once(server, 'listening');
      const { asOf } = manifest;
      say(
        `${manifest.passports.length} passports of ${manifest.tenant}, as of block ${asOf.block}, at http://${host}:${(server.address() as AddressInfo).port}/v1`,
      );
      await new Promise<void>((ended) => {
        for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => server.close(() => ended()).closeAllConnections());
      });
    });
}

async function tenantOf(work: UnitOfWork, slug: string): Promise<string> {
  const [found] = await work.asSystem((tx) =>
    tx.sql<{ tenant_id: string }>('select tenant_id from identity.tenant_v1 where slug = $1', [slug]),
  );
  if (!found) throw new OperatorError(`There is no tenant ${slug}.`);
  return found.tenant_id;
}

/** Writes a tenant's passports as static files. */
function addExport(program: Command, say: Say): void {
  program
    .command('export-passports <tenant> <folder>')
    .description('write all passports of a tenant as files that any file host can serve; repeat it with the same folder to update it')
    .requiredOption('--base-url <url>', 'address at which the folder will be served; every link and code begins with it')
    .option('--rpc <url>', 'JSON-RPC address of a node, for the evidence; by default those of CHAIN_RPC_URLS')
    .action(async (tenant: string, folder: string, { baseUrl, rpc }: { baseUrl: string; rpc?: string }) => {
      const base = baseOf(baseUrl);
      const config = configFrom(process.env);
      const urls = rpc !== undefined ? [rpc] : config.chain.node.kind === 'rpc' ? config.chain.node.urls : [];
      await asExporter(config, urls, async (app) => {
        const tenantId = await tenantOf(app.get(UnitOfWork), tenant);
        const { passports, withdrawn, withoutEvidence } = await app
          .get(ExportPassports)
          .export(tenantId, base, intoFolder(resolve(folder)));
        say(`${passports} passports in ${folder}; ${withdrawn} withdrawn passports omitted.`);
        if (withoutEvidence > 0) say(`${withoutEvidence} of them have no evidence; pass a node of the chain with --rpc.`);
      });
    });
}

function baseOf(url: string): string {
  if (!/^https?:\/\/[^\s?#]+$/.test(url) || !URL.canParse(url)) throw new OperatorError(`${url} is not an address to serve files at.`);
  return url.replace(/\/+$/, '');
}

/** Each file is written completely or not at all, so that the folder can be served at the same time. */
const intoFolder = (folder: string): ExportTarget => ({
  write: async (path, content) => {
    const place = join(folder, path);
    await mkdir(dirname(place), { recursive: true });
    await writeFile(`${place}.part`, content);
    await rename(`${place}.part`, place);
  },
  remove: (path) => rm(join(folder, path), { recursive: true, force: true }),
});

/** Invalid UTF-8 is a change of the file too, and must not be repaired while reading. */
function textOf(file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(file));
  } catch (error) {
    const { code } = error as { code?: string };
    throw new OperatorError(code === 'ENOENT' ? `There is no file ${file}.` : `${file} cannot be read as an evidence file.`);
  }
}

function addressIn(url: string): string {
  if (!URL.canParse(url) || !/^https?:/.test(url)) throw new OperatorError(`${url} is not the address of a node (https://…).`);
  return url;
}

const askNode =
  (url: string): AskChain =>
  async (method, params) => {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: AbortSignal.timeout(30_000),
    });
    const { result, error } = (await answer.json()) as { result?: unknown; error?: { message: string } };
    if (error) throw new Error(`the node refuses ${method}: ${error.message}`);
    return result;
  };
