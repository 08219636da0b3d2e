import { type JobContext, QueuedJob } from '#queue';
import { Injectable } from '@nestjs/common';
import { RunCapture } from './run-capture.js';
import { type QueuedCapture, runCaptureTopic } from './start-capture.js';

@Injectable()
export class RunCaptureJob extends QueuedJob<QueuedCapture> {
  readonly topic = runCaptureTopic;
  /** A small document does not wait for a large one. */
  override readonly concurrency = 2;

  constructor(private readonly runCapture: RunCapture) {
    super();
  }

  run(capture: QueuedCapture, context: JobContext): Promise<void> {
    return this.runCapture.run(capture, context);
  }
}
