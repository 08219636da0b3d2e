import { type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { ChainHead } from '#chain';
import { Clock } from '#kernel';
import { AnswerCache, PersistenceModule, type PostgresEndpoint, UnitOfWork } from '#persistence';
import { JobListener, JobQueue, QueueModule } from '#queue';
import {
  CachedReports,
  StoreAnswer,
  FindAnswer,
  GetReport,
  ReadReportText,
  type ReadReport,
  RefreshReportJob,
  type Report,
  ReportCache,
  type ReportResult,
  RequestRefresh,
} from '#reporting/testing';

/** A cached report, with fakes for the chain, the clock and the data of a large tenant. */
export const FIGURES = { name: 'figures', cached: true } as const;

export interface FiguresWorld {
  readonly lots: () => number;
  readonly head: () => number;
  readonly now: () => Date;
  readonly read: () => Promise<ReportResult>;
}

export interface RefreshedReports {
  readonly getReport: GetReport;
  readonly requestRefresh: RequestRefresh;
  readonly job: RefreshReportJob;
}

/** The classes of one process. */
export function figuresIn(unitOfWork: UnitOfWork, queue: JobQueue, world: FiguresWorld): RefreshedReports {
  const cache = new (class extends ReportCache {
    override lotCount = async (): Promise<number> => world.lots();
  })();
  const clock = new (class extends Clock {
    override now = (): Date => world.now();
  })();
  const chain = { position: async () => ({ head: world.head(), final: world.head() }), isRebuilding: async () => false };
  const readReport = { read: world.read } as unknown as ReadReport;
  const findAnswer = new FindAnswer(unitOfWork, chain as unknown as ChainHead, cache, clock);
  const storeAnswer = new StoreAnswer(readReport, unitOfWork, cache);
  const requestRefresh = new RequestRefresh(queue, clock);
  const text = new ReadReportText(new AnswerCache(unitOfWork), chain as unknown as ChainHead);
  return {
    getReport: new GetReport(readReport, findAnswer, storeAnswer, requestRefresh, text),
    requestRefresh,
    job: new RefreshReportJob(new CachedReports([[FIGURES, {} as Report]]), findAnswer, storeAnswer),
  };
}

export class Outcomes extends JobListener {
  readonly all: string[] = [];

  ran(job: string, outcome: string): void {
    this.all.push(`${job} ${outcome}`);
  }
}

/** A worker with the job that refreshes the report, on the database's own queue. It notices a killed worker within seconds. */
export async function startReportWorker(
  endpoint: PostgresEndpoint,
  world: FiguresWorld,
  outcomes = new Outcomes(),
): Promise<INestApplicationContext> {
  const engine = { kind: 'database', at: endpoint } as const;
  @Module({
    imports: [
      PersistenceModule.forRoot({ endpoint, contexts: [] }),
      QueueModule.forRoot(engine, { lockMs: 2_000, stalledMs: 500 }, outcomes),
    ],
    providers: [
      {
        provide: RefreshReportJob,
        inject: [UnitOfWork, JobQueue],
        useFactory: (work: UnitOfWork, queue: JobQueue) => figuresIn(work, queue, world).job,
      },
    ],
  })
  class Worker {}
  return NestFactory.createApplicationContext(Worker, { logger: false });
}
