// Fills a tenant with value chains through the projector of lots: npm run bench:seed -- --lots 20000 --data .data-small
import { Command } from 'commander';
import { fail } from '../apps/runtime/src/index.js';
import { sizeOf } from './seed-fill.js';
import { openSeeded } from './seed-tenant.js';

const whole = (text: string): number => {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1000) throw new Error(`${text} is not a whole number from 1000 on`);
  return value;
};

const program = new Command('bench:seed')
  .description(
    'Fill a tenant with value chains: wide splits, deep chains, diamonds, containers, and the shapes that `bench -- graph` measures.',
  )
  .option('--lots <number>', 'how many lots', whole, 1_000_000)
  .option('--edges <number>', 'how many edges, about 1.3 a lot; default 1.3 × lots', whole)
  .option('--data <folder>', 'data folder of its own service', '.data-bench')
  .action(async ({ lots, edges, data }: { lots: number; edges?: number; data: string }) => {
    const { service, seeded } = await openSeeded(data, sizeOf(lots, edges), (line) => console.error(line));
    console.log(`${data} holds ${seeded.size.lots} lots and ${seeded.size.edges} edges, filled in ${seeded.seconds.toFixed(0)} s`);
    console.log(`DATA_DIR=${data} npm start serves them to ${seeded.login.email} with the password "${seeded.login.password}".`);
    await service.close();
    process.exit(0);
  });
await program.parseAsync().catch(fail);
