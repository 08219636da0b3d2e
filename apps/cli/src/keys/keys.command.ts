import type { Command } from 'commander';
import { configFrom } from '#config';
import { UnitOfWork } from '#persistence';
import { ConfiguredKeys, ContentKeyStore } from '#sealed-contents';
import { asOperator } from '../operator.js';

export function addKeys(program: Command, say: (line: string) => void): void {
  program
    .command('keys')
    .description('keys of sealed contents')
    .command('rotate')
    .description(
      'encrypt the keys of all tenants with ENCRYPTION_KEY that one of RETIRED_ENCRYPTION_KEYS has encrypted; contents stay as they are',
    )
    .action(async () => {
      const { rotated, tenants } = await asOperator(configFrom(process.env), (app, { secrets }) => {
        const work = app.get(UnitOfWork);
        const keys = new ContentKeyStore(work, new ConfiguredKeys([secrets.encryptionKey!, ...secrets.retiredEncryptionKeys]));
        return work.asSystem((tx) => keys.rotate(tx));
      });
      say(`${rotated} of ${tenants} keys of tenants were encrypted again with ENCRYPTION_KEY; none needs a retired one.`);
      say('Secrets of webhooks and keys of seals that a retired key encrypted still need it.');
    });
}
