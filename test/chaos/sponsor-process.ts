import { Module } from '@nestjs/common';
import { configFrom } from '#config';
import { createHttpApp, createLogger } from '#http';
import { PersistenceModule, type PostgresEndpoint, UnitOfWork } from '#persistence';
import { SponsorLoop } from '#transactions/testing';
import { REPLACE_AFTER_MS, sponsorOf } from '../engines/sponsor-world.js';

// A sponsor in a process of its own, for a test that kills it.
const { endpoint, url, privateKey } = JSON.parse(process.argv[2]!) as { endpoint: PostgresEndpoint; url: string; privateKey: string };

@Module({ imports: [PersistenceModule.forRoot({ endpoint, contexts: [], poolSize: 2 })] })
class Sponsor {}

const app = await createHttpApp(Sponsor, { config: configFrom({ NODE_ENV: 'test' }), logger: createLogger({ level: 'silent' }) });
await app.init();
const { run } = sponsorOf({ unitOfWork: app.get(UnitOfWork, { strict: false }), url, privateKey, clock: { now: () => new Date() } });
new SponsorLoop(run, { pollMs: 10, replaceAfterMs: REPLACE_AFTER_MS }).onApplicationBootstrap();
process.stdout.write('ready\n');
