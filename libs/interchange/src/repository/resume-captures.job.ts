import { PeriodicJob } from '#queue';
import { Injectable } from '@nestjs/common';
import { ResumeCaptures } from './run-capture.js';

@Injectable()
export class ResumeCapturesJob extends PeriodicJob {
  readonly name = 'interchange.resume-captures';
  readonly everyMs = 60_000;

  constructor(private readonly resumeCaptures: ResumeCaptures) {
    super();
  }

  override run(): Promise<void> {
    return this.resumeCaptures.resume();
  }
}
