import { httpCopies } from './answers.copies.js';
import { type DynamicModule, Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import type { ContextPersistence } from '#persistence';
import { FingerprintKey, IdempotencyInterceptor } from './idempotency.interceptor.js';
import { AnswersKept, IdempotencyStore } from './idempotency-store.js';
import { AnswerBytes } from './answer-bytes.js';
import { httpRetention } from './answers.retention.js';

export const httpPersistence: ContextPersistence = {
  schema: 'http',
  migrations: new URL('../migrations/', import.meta.url),
  entities: [],
  retention: httpRetention,
  copies: httpCopies,
};

/** Import it once, in the application with the routes: every POST of a principal then accepts an Idempotency-Key. */
@Module({})
export class IdempotencyModule {
  /**
   * Needs `PersistenceModule` and a `Clock`.
   * @param fingerprintKey key of the request fingerprints; requests may contain passwords
   * @param keptMs how long an answer is kept
   * @param mostBytes of the answers of one tenant that this process keeps meanwhile
   */
  static forRoot(fingerprintKey: Buffer, keptMs: number, mostBytes: number): DynamicModule {
    return {
      module: IdempotencyModule,
      providers: [
        IdempotencyStore,
        { provide: AnswersKept, useValue: new AnswersKept(keptMs) },
        { provide: AnswerBytes, useValue: new AnswerBytes(mostBytes, keptMs) },
        { provide: FingerprintKey, useValue: new FingerprintKey(fingerprintKey) },
        { provide: APP_INTERCEPTOR, useClass: IdempotencyInterceptor },
      ],
    };
  }
}
