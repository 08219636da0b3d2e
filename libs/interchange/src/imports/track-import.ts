import { type Actor, DomainError, type TenantScope } from '#kernel';
import { UnitOfWork } from '#persistence';
import type { JobContext } from '#queue';
import { Injectable } from '@nestjs/common';
import type { ImportCounts, ImportRecord } from './import-run.js';
import { type ImportChange, ImportQueries, type ImportRow } from './imports.queries.js';
import { PublishImport } from './publish-import.js';

/** What the job gets. The rights of the caller are those of the request. */
export interface ImportJob extends TenantScope {
  readonly importId: string;
  readonly actor: Actor;
  /** EIP-55 address that will sign. */
  readonly from: string | null;
}

/** Ends a run whose import was cancelled, or is gone. */
export class Stopped extends Error {}

/** A run of the job, and how far it is. */
export interface ImportRun {
  readonly actor: Actor;
  readonly record: ImportRecord;
  readonly context: JobContext;
  counts: ImportCounts;
}

/** Keeps how far a run is, and what became of its rows. */
@Injectable()
export class ImportProgress {
  constructor(
    private readonly work: UnitOfWork,
    private readonly imports: ImportQueries,
    private readonly publishing: PublishImport,
  ) {}

  /** @throws Stopped when it was cancelled */
  async goOn({ actor, record, counts, context }: ImportRun): Promise<void> {
    if (context.signal.aborted) throw new Error('the process ends');
    if (!(await this.work.inTransaction(actor, (tx) => this.imports.progress(tx, record.id, counts)))) throw new Stopped();
    await context.progress({ done: counts.done, total: counts.total });
  }

  async save({ actor, record }: ImportRun, rows: readonly ImportRow[]): Promise<void> {
    await this.work.inTransaction(actor, (tx) => this.imports.saveRows(tx, record.id, rows));
  }

  /** What the run before said of rows; those whose event was prepared stay. */
  async forgetRows(actor: Actor, { id }: ImportRecord): Promise<void> {
    await this.work.inTransaction(actor, (tx) => this.imports.deleteRows(tx, id, true));
  }

  async end(actor: Actor, record: ImportRecord, state: ImportRecord['state'], change: ImportChange): Promise<void> {
    await this.work.inTransaction(actor, async (tx) => {
      if (!(await this.imports.end(tx, record.id, state, change))) return;
      const { format = record.format, counts = record.counts } = change;
      await this.publishing.publish(tx, { ...record, state, format, counts });
    });
  }
}

/** The answer of an engine that failed: no row is to blame, and the job tries again. */
export const firstOutage = (answers: readonly unknown[]): DomainError | undefined =>
  answers.find((answer): answer is DomainError => answer instanceof DomainError && answer.status >= 500);
