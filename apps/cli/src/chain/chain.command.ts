import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import { IndexerCommands, type CursorState } from '#chain';
import { configFrom } from '#config';
import { DomainError } from '#kernel';
import { UnitOfWork } from '#persistence';
import { OperatorError } from '../../../runtime/src/index.js';
import { asOperator } from '../operator.js';

type Say = (line: string) => void;

const EVERY_MS = 500;
/** After this time without a worker that executes the command, the operator must start one. */
const WARN_AFTER_MS = 15_000;

/** Commands for the indexer. The worker that runs it executes them; this process only stores the command and waits. */
export function addChain(program: Command, say: Say): void {
  const run: Run = (work) =>
    asOperator(configFrom(process.env), async (app, config) => {
      await work(new IndexerCommands(app.get(UnitOfWork), config.chain.chainId)).catch((error: unknown) => {
        throw error instanceof DomainError ? new OperatorError(error.message) : error;
      });
    });
  const chain = program.command('chain').description('the indexer');
  chain
    .command('status')
    .description('print how far the indexer has read the chain, and whether it is stopped')
    .action(() => run(async (commands) => say(JSON.stringify(await commands.state(), null, 2))));
  addResume(chain, run, say);
  addReindex(chain, run, say);
}

type Run = (work: (commands: IndexerCommands) => Promise<void>) => Promise<void>;

function addResume(chain: Command, run: Run, say: Say): void {
  chain
    .command('resume')
    .description('resume the indexer after a stop')
    .option('--back-to <block>', 'undo everything after this block, and follow the node from there', blockNumber)
    .action(({ backTo }: { backTo?: number }) =>
      run(async (commands) => {
        await commands.send({ kind: 'resume', backTo: backTo ?? null });
        const { head, stopped } = await waitUntilExecuted(commands, say);
        if (stopped !== null) throw new OperatorError(`The indexer stopped again at block ${head}: ${stopped}`);
        say(`The indexer continues from block ${head}.`);
      }),
    );
}

function addReindex(chain: Command, run: Run, say: Say): void {
  chain
    .command('reindex')
    .description('undo everything and read the chain again; webhooks that were sent are not sent again')
    .action(() =>
      run(async (commands) => {
        const { head: before } = await commands.state();
        await commands.send({ kind: 'reindex' });
        await waitUntilExecuted(commands, say);
        for (let reported = -1; ; await pause(EVERY_MS)) {
          const { head, stopped } = await commands.state();
          if (stopped !== null) throw new OperatorError(`The indexer stopped at block ${head}: ${stopped}`);
          if (head !== reported) say(`indexed up to block ${head} of ${Math.max(head, before)}`);
          reported = head;
          if (head >= before) return;
        }
      }),
    );
}

function blockNumber(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value)) throw new OperatorError(`${text} is not a block number.`);
  return value;
}

async function waitUntilExecuted(commands: IndexerCommands, say: Say): Promise<CursorState> {
  const since = Date.now();
  for (let warned = false; ; await pause(EVERY_MS)) {
    const view = await commands.state();
    if (view.command === null) return view;
    if (warned || Date.now() - since < WARN_AFTER_MS) continue;
    say('No worker has executed the command yet. It is stored, and the next worker that runs the indexer will execute it.');
    warned = true;
  }
}
