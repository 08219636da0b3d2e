import type { Command } from 'commander';
import { configFrom } from '#config';
import { UnitOfWork } from '#persistence';
import { consumersOfAll } from '#webhooks';
import { asOperator } from '../operator.js';

/** Who reads the change feeds of tenants, and how far each is behind. */
export function addChanges(program: Command, say: (line: string) => void): void {
  program
    .command('changes')
    .description('the change feeds of tenants')
    .command('consumers')
    .description('list the consumers of all tenants as JSON, the farthest behind first')
    .action(async () => {
      await asOperator(configFrom(process.env), async (app) => {
        const consumers = await app.get(UnitOfWork).readAsSystem(consumersOfAll);
        say(JSON.stringify(consumers, null, 2));
      });
    });
}
