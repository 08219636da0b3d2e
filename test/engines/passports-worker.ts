import { type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { ChainHead } from '#chain';
import { Clock } from '#kernel';
import { IssueBacklogJob, IssuePassports, IssuePassportsJob, PassportsQueries, SettingsQueries } from '#passports/testing';
import { PersistenceModule, type PostgresEndpoint, type TenantTx, UnitOfWork } from '#persistence';
import { JobQueue, QueueModule } from '#queue';
import { Outcomes } from './report-worker.js';

/** Blocks of a chain in which each block makes some lots of each tenant. */
export const LOTS_PER_BLOCK = 5;

export interface PassportsWorld {
  readonly final: () => number;
  /** Before each batch is written. */
  readonly batch: (tenantId: string) => Promise<void>;
}

/** Lots are made up, one block a batch; passports, settings and transactions are real. */
class LotsOfBlocks extends PassportsQueries {
  constructor(private readonly world: PassportsWorld) {
    super();
  }

  override async lotsMadeAfter(tx: TenantTx, after: number): ReturnType<PassportsQueries['lotsMadeAfter']> {
    await this.world.batch(tx.tenantId);
    const block = after + 1;
    const lots = Array.from({ length: LOTS_PER_BLOCK }, (_, i) => {
      const tokenId = BigInt(block * LOTS_PER_BLOCK + i);
      return {
        tokenId,
        contract: '0xc0',
        tlc: `L${tokenId}`,
        key: `L${tokenId}`,
        gtin: null,
        serial: null,
        granularity: 'batch' as const,
        mayHavePassport: true,
        mintBlock: block,
      };
    });
    return { lots, reached: block };
  }
}

/** A worker that issues passports, on the database's own queue. It notices a killed worker within seconds. */
export async function startPassportsWorker(
  endpoint: PostgresEndpoint,
  world: PassportsWorld,
  outcomes = new Outcomes(),
): Promise<INestApplicationContext> {
  const engine = { kind: 'database', at: endpoint } as const;
  const head = { position: async () => ({ head: world.final(), final: world.final() }) } as unknown as ChainHead;
  const settings = new SettingsQueries();
  const issue = (work: UnitOfWork): IssuePassports => new IssuePassports(work, new LotsOfBlocks(world), settings, head, new Clock());
  @Module({
    imports: [
      PersistenceModule.forRoot({ endpoint, contexts: [] }),
      QueueModule.forRoot(engine, { lockMs: 2_000, stalledMs: 500 }, outcomes),
    ],
    providers: [
      { provide: IssueBacklogJob, inject: [UnitOfWork], useFactory: (work: UnitOfWork) => new IssueBacklogJob(issue(work)) },
      {
        provide: IssuePassportsJob,
        inject: [UnitOfWork, JobQueue],
        useFactory: (work: UnitOfWork, queue: JobQueue) => new IssuePassportsJob(work, settings, head, issue(work), queue),
      },
    ],
  })
  class Worker {}
  return NestFactory.createApplicationContext(Worker, { logger: false });
}
