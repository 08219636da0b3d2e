import { type JobContext, QueuedJob } from '#queue';
import { Injectable } from '@nestjs/common';
import { RunImport } from './run-import.js';
import { runImportTopic } from './start-import.js';
import type { ImportJob } from './track-import.js';

@Injectable()
export class RunImportJob extends QueuedJob<ImportJob> {
  readonly topic = runImportTopic;

  constructor(private readonly runImport: RunImport) {
    super();
  }

  run(job: ImportJob, context: JobContext): Promise<void> {
    return this.runImport.run(job, context);
  }
}
