import {
  type BeforeApplicationShutdown,
  type DynamicModule,
  Injectable,
  Logger,
  Module,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import type { ContextPersistence } from '#persistence';
import { FingerprintKey, IdempotencyInterceptor } from './idempotency-interceptor.js';
import { KeptAnswers } from './kept-answers.js';

export const httpPersistence: ContextPersistence = {
  schema: 'http',
  migrations: new URL('./migrations/', import.meta.url),
  entities: [],
};

const EVERY_MS = 3_600_000;

/** Forgets answers that are over, every hour. */
@Injectable()
class AnswerPurge implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger('Idempotency');
  private timer?: NodeJS.Timeout;
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly answers: KeptAnswers) {}

  onApplicationBootstrap(): void {
    const purge = (): void => {
      this.running = this.purge();
    };
    this.timer = setInterval(purge, EVERY_MS).unref();
    purge();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  private async purge(): Promise<void> {
    await this.answers.purge().catch((error: unknown) => this.log.warn(`trying again: ${(error as Error).message}`));
  }
}

/** Imported once, where there are routes: every POST of a principal takes an Idempotency-Key from then on. */
@Module({})
export class IdempotencyModule {
  /** Needs `PersistenceModule` and a `Clock`. @param fingerprintKey keys the fingerprints of requests, which may hold passwords */
  static forRoot(fingerprintKey: Buffer): DynamicModule {
    return {
      module: IdempotencyModule,
      providers: [
        KeptAnswers,
        AnswerPurge,
        { provide: FingerprintKey, useValue: { bytes: fingerprintKey } },
        { provide: APP_INTERCEPTOR, useClass: IdempotencyInterceptor },
      ],
    };
  }
}
