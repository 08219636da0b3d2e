import { Command } from 'commander';
import { configFrom } from '#config';
import { endpointFromUrl, migrate } from '#persistence';
import { OperatorError, contexts } from '../../runtime/src/index.js';
import { addApi } from './api/api.command.js';
import { addAdministration } from './administration/administration.command.js';
import { addBackup } from './backup/backup.command.js';
import { addChain } from './chain/chain.command.js';
import { addChanges } from './changes/changes.command.js';
import { addContent } from './content/content.command.js';
import { examine, settings } from './doctor/doctor.js';
import { addKeys } from './keys/keys.command.js';
import { addPassports } from './passports/passports.command.js';
import { addStorage } from './storage/storage.command.js';
import { addReference } from './reference/reference.command.js';
import { asOperator, databaseOf } from './operator.js';
import type { SandboxOptions } from './demo/sandbox.command.js';

const say = (line: string): void => console.log(line);
/** All commands. Their help is also a page of the reference. What signs transactions takes long to load: only commands that sign load it. */
export const program = new Command('trace').description(
  'Operates the Traceability Service. It reads the same environment variables as the service.',
);

program
  .command('migrate')
  .description('migrate the database to the version of this code')
  .action(async () => {
    const config = configFrom(process.env);
    const endpoint = config.database.kind === 'url' ? endpointFromUrl(config.database.migrationUrl) : databaseOf(config);
    const applied = await migrate(endpoint, contexts);
    say(applied.length === 0 ? 'The database is up to date.' : applied.map((name) => `applied ${name}`).join('\n'));
  });

program
  .command('contracts')
  .description(
    'deploy the registry, the implementation and the factory of passkey accounts with the dev account of a local chain, unless the service has them already',
  )
  .requiredOption('--rpc-url <url>', 'JSON-RPC address of a local chain')
  .action(async ({ rpcUrl }: { rpcUrl: string }) => {
    const config = configFrom(process.env);
    if (config.chain.chainId !== 31_337)
      throw new OperatorError(
        'Only a local chain (id 31337) has dev accounts. On other chains, deploy with your own key and set CHAIN_REGISTRY and CHAIN_ACCOUNT_FACTORY.',
      );
    const { ensureAccountFactory, ensureRegistry } = await import('./demo/seed.js');
    await asOperator(config, async (app) => {
      const { chainId } = config.chain;
      say(await ensureRegistry(app, rpcUrl, chainId, say));
      say(await ensureAccountFactory(app, rpcUrl, chainId, say));
    });
  });

program
  .command('seed')
  .description('create the demo tenants on a running service with a local chain')
  .requiredOption('--base-url <url>', 'address of the service')
  .requiredOption('--rpc-url <url>', 'JSON-RPC address of its chain')
  .action(async (urls: { baseUrl: string; rpcUrl: string }) => {
    // A service that was killed leaves no seed behind: the next start begins its own.
    process.once('disconnect', () => process.exit(1));
    process.channel?.unref();
    await (await import('./demo/seed.js')).seedDemo(configFrom(process.env), urls, say);
  });

program
  .command('demo')
  .description('play the sample value chains on the running demo')
  .action(async () => (await import('./demo/demo.command.js')).runDemo(configFrom(process.env).dataDir, say));

program
  .command('sandbox <slug>')
  .description('create a sandbox tenant with the test data of a scenario, on the running demo; a reset is a new one instead of another')
  .option('--scenario <name>', 'rice, wool or seafood', 'rice')
  .option('--instead-of <slug>', 'the sandbox that it takes the place of; it is suspended')
  .action(async (slug: string, options: SandboxOptions) =>
    (await import('./demo/sandbox.command.js')).createSandbox(configFrom(process.env), slug, options, say),
  );

program
  .command('doctor')
  .description('check every configured engine, and print how to fix those that fail')
  .action(async () => {
    const findings = [...settings(process.env), ...(await examine(configFrom(process.env)))];
    for (const { engine, well, found, remedy } of findings)
      say(`${well ? 'ok  ' : 'BAD '} ${engine}: ${found}${remedy ? `\n     ${remedy}` : ''}`);
    if (findings.some(({ well }) => !well)) process.exitCode = 1;
  });

addAdministration(program, say);
addApi(program, say);
addBackup(program, say);
addChain(program, say);
addContent(program, say);
addChanges(program, say);
addKeys(program, say);
addPassports(program, say);
addReference(program, say);
addStorage(program, say);
