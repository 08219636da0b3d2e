import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { type AskChain, verifyBundle } from '#passports';
import { RefusalToStart } from '../../../runtime/src/index.js';

type Say = (line: string) => void;

const MARKS = { ok: 'ok       ', broken: 'BROKEN   ', left_out: 'left out ', not_asked: 'not asked' };

/** Evidence of passports, checked by whoever has the file: no service, database or setting is needed. */
export function addPassports(program: Command, say: Say): void {
  program
    .command('verify <file>')
    .description('check the evidence file of a product passport, each link by its name; exits with 1 where one is broken')
    .option('--rpc <url>', 'JSON-RPC address of a node of the chain, to be asked whether the blocks are on it')
    .action(async (file: string, { rpc }: { rpc?: string }) => {
      const { ok, links } = await verifyBundle(textOf(file), rpc === undefined ? undefined : askNode(rpc));
      for (const { link, of, state, detail } of links) say(`${MARKS[state]}  ${of}, ${link}: ${detail}`);
      say(ok ? 'Every link that could be checked holds.' : 'The file does not hold.');
      if (!ok) process.exitCode = 1;
    });
}

/** Bytes that are no UTF-8 are a change too, and must not be mended in reading. */
function textOf(file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(file));
  } catch (error) {
    const { code } = error as { code?: string };
    throw new RefusalToStart(code === 'ENOENT' ? `There is no file ${file}.` : `${file} cannot be read as an evidence file.`);
  }
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
