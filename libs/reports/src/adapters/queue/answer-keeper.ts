import { Sweep } from '#queue';
import { Injectable } from '@nestjs/common';
import { KeepReady } from '../../application/keep-ready.js';

/** An answer that waits for its first question need not be of this minute: the question itself has it computed anew. */
const EVERY_MS = 600_000;

@Injectable()
export class AnswerKeeper extends Sweep {
  private readonly leaving = new AbortController();

  constructor(private readonly keepReady: KeepReady) {
    super(EVERY_MS);
  }

  override async onApplicationShutdown(): Promise<void> {
    this.leaving.abort();
    await super.onApplicationShutdown();
  }

  protected override turn(): Promise<void> {
    return this.keepReady.all(this.leaving.signal);
  }
}
