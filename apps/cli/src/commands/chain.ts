import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import { ChainOrders, type CursorView } from '#chain';
import { configFrom } from '#config';
import { DomainError } from '#kernel';
import { UnitOfWork } from '#persistence';
import { RefusalToStart } from '../../../runtime/src/index.js';
import { asOperator } from '../operator.js';

type Say = (line: string) => void;

const EVERY_MS = 500;
/** Without a sign that a worker obeys, somebody has to start one. */
const PATIENCE_MS = 15_000;

/** What an operator does about the projection of the chain. The one worker that writes it obeys; these commands only ask and watch. */
export function addChain(program: Command, say: Say): void {
  const run = (work: (orders: ChainOrders) => Promise<void>): Promise<void> =>
    asOperator(configFrom(process.env), async (app, config) => {
      await work(new ChainOrders(app.get(UnitOfWork), config.chain.chainId)).catch((error: unknown) => {
        throw error instanceof DomainError ? new RefusalToStart(error.message) : error;
      });
    });
  const chain = program.command('chain').description('the projection of the chain');
  chain
    .command('status')
    .description('how far it has come, and whether it is stopped')
    .action(() => run(async (orders) => say(JSON.stringify(await orders.look(), null, 2))));
  chain
    .command('resume')
    .description('let it go on after a stop')
    .option('--back-to <block>', 'give up what came after this block and follow the node from there', blockNumber)
    .action(({ backTo }: { backTo?: number }) =>
      run(async (orders) => {
        await orders.give({ kind: 'resume', backTo: backTo ?? null });
        const { head, stopped } = await obeyed(orders, say);
        if (stopped !== null) throw new RefusalToStart(`It stopped again at block ${head}: ${stopped}`);
        say(`It goes on from block ${head}.`);
      }),
    );
  chain
    .command('reindex')
    .description('take everything back and project the chain anew; webhooks that went out are not sent again')
    .action(() =>
      run(async (orders) => {
        const { head: before } = await orders.look();
        await orders.give({ kind: 'reindex' });
        await obeyed(orders, say);
        for (let told = -1; ; await pause(EVERY_MS)) {
          const { head, stopped } = await orders.look();
          if (stopped !== null) throw new RefusalToStart(`It stopped at block ${head}: ${stopped}`);
          if (head !== told) say(`projected up to block ${head} of ${Math.max(head, before)}`);
          told = head;
          if (head >= before) return;
        }
      }),
    );
}

function blockNumber(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value)) throw new RefusalToStart(`${text} is no block number.`);
  return value;
}

async function obeyed(orders: ChainOrders, say: Say): Promise<CursorView> {
  const since = Date.now();
  for (let told = false; ; await pause(EVERY_MS)) {
    const view = await orders.look();
    if (view.ordered === null) return view;
    if (told || Date.now() - since < PATIENCE_MS) continue;
    say('No worker has taken the order yet. It stands, and the first one that writes the projection obeys.');
    told = true;
  }
}
