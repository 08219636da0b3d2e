import { Command } from 'commander';
import { configFrom } from '#config';
import { endpointFromUrl, migrate } from '#persistence';
import { RefusalToStart, contexts } from '../../runtime/src/index.js';
import { addAdministration } from './commands/administration.js';
import { addBackup } from './commands/backup.js';
import { addChain } from './commands/chain.js';
import { addContent } from './commands/content.js';
import { examine } from './commands/doctor.js';
import { runDemo } from './commands/demo.js';
import { addPassports } from './commands/passports.js';
import { addReference } from './commands/reference.js';
import { ensureRegistry, seedDemo } from './commands/seed.js';
import { asOperator, databaseOf } from './operator.js';

const say = (line: string): void => console.log(line);
/** Every command, not run yet: its help is also a page of the reference. */
export const program = new Command('trace').description(
  'Operates the Traceability Service. Settings come from the same environment as the service.',
);

program
  .command('migrate')
  .description('bring the database to the version of this code')
  .action(async () => {
    const config = configFrom(process.env);
    const endpoint = config.database.kind === 'url' ? endpointFromUrl(config.database.migrationUrl) : databaseOf(config);
    const applied = await migrate(endpoint, contexts);
    say(applied.length === 0 ? 'The database is up to date.' : applied.map((name) => `applied ${name}`).join('\n'));
  });

program
  .command('contracts')
  .description('deploy registry and implementation with the dev account of a local chain, where the service knows none')
  .requiredOption('--rpc-url <url>', 'JSON-RPC address of a local chain')
  .action(async ({ rpcUrl }: { rpcUrl: string }) => {
    const config = configFrom(process.env);
    if (config.chain.chainId !== 31_337)
      throw new RefusalToStart(
        'Only a local chain (id 31337) has dev accounts. Elsewhere the operator deploys with a key of their own and sets CHAIN_REGISTRY.',
      );
    say(await asOperator(config, (app) => ensureRegistry(app, rpcUrl, config.chain.chainId, say)));
  });

program
  .command('seed')
  .description('make the demo tenants on a running service with a local chain')
  .requiredOption('--base-url <url>', 'address of the service')
  .requiredOption('--rpc-url <url>', 'JSON-RPC address of its chain')
  .action((urls: { baseUrl: string; rpcUrl: string }) => seedDemo(configFrom(process.env), urls, say));

program
  .command('demo')
  .description('play the sample value chains on the running demo')
  .action(() => runDemo(configFrom(process.env).dataDir, say));

program
  .command('doctor')
  .description('ask every engine that is configured, and say what to do about those that are not well')
  .action(async () => {
    const findings = await examine(configFrom(process.env));
    for (const { engine, well, found, remedy } of findings)
      say(`${well ? 'ok  ' : 'BAD '} ${engine}: ${found}${remedy ? `\n     ${remedy}` : ''}`);
    if (findings.some(({ well }) => !well)) process.exitCode = 1;
  });

addAdministration(program, say);
addBackup(program, say);
addChain(program, say);
addContent(program, say);
addPassports(program, say);
addReference(program, say);
