import { DomainError } from '#kernel';
import { UnitOfWork } from '#persistence';
import type { JobContext } from '#queue';
import { UnreadableFile } from '#spreadsheets';
import { Injectable } from '@nestjs/common';
import { EPCIS_XML, type ImportRecord } from './import-run.js';
import { ImportQueries } from './imports.queries.js';
import { RunEpcisImport } from './run-epcis-import.js';
import { RunTableImport } from './run-table-import.js';
import { type ImportJob, ImportProgress, Stopped } from './track-import.js';

/** Carries out the task of an import. May run again from its beginning: a row whose event was prepared is not prepared again. */
@Injectable()
export class RunImport {
  constructor(
    private readonly work: UnitOfWork,
    private readonly imports: ImportQueries,
    private readonly progress: ImportProgress,
    private readonly table: RunTableImport,
    private readonly epcis: RunEpcisImport,
  ) {}

  async run(job: ImportJob, context: JobContext): Promise<void> {
    const { actor, importId } = job;
    const record = await this.work.read(actor, (tx) => this.imports.byId(tx, { all: true, orgId: null, id: '' }, importId));
    if (!record || (record.state !== 'waiting' && record.state !== 'running')) return;
    try {
      await (record.format === EPCIS_XML ? this.epcis : this.table).run(job, record, context);
    } catch (error) {
      if (error instanceof Stopped) return this.progress.end(actor, record, 'cancelled', {});
      if (context.signal.aborted) throw error;
      const failure = failureOf(error);
      if (failure === null && !context.lastAttempt) throw error;
      await this.progress.end(actor, record, 'failed', {
        failure: failure ?? { code: 'internal_error', message: 'The service could not finish the import. Resume it later.' },
      });
      if (failure === null) throw error;
    }
  }
}

function failureOf(error: unknown): ImportRecord['failure'] {
  if (error instanceof UnreadableFile) return { code: error.code, message: error.message };
  if (!(error instanceof DomainError) || error.status >= 500) return null;
  const { code, message } = error.details.errors?.[0] ?? error;
  return { code, message };
}
