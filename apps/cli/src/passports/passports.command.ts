import { readFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { configFrom } from '#config';
import { UnitOfWork } from '#persistence';
import { type AskChain, ExportPassports, type ExportTarget, verifyBundle } from '#passports';
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
        const [found] = await app
          .get(UnitOfWork)
          .asSystem((tx) => tx.sql<{ tenant_id: string }>('select tenant_id from identity.tenant_v1 where slug = $1', [tenant]));
        if (!found) throw new OperatorError(`There is no tenant ${tenant}.`);
        const { passports, withdrawn, withoutEvidence } = await app
          .get(ExportPassports)
          .export(found.tenant_id, base, intoFolder(resolve(folder)));
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
