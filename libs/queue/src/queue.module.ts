import { type BeforeApplicationShutdown, type DynamicModule, Global, Injectable, Logger, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { BullModule, getSharedConfigToken } from '@nestjs/bullmq';
import { type QueueOptions, setDefaultBackendFactory } from 'bullmq';
import { BullMqJobQueue, type BullMqOptions } from './bullmq/bullmq-job-queue.js';
import { type JobsKept, openQueueConnections, QueueConnections, type QueueEngine } from './bullmq/connections.js';
import { JobQueue } from './job-queue.js';
import { JobRunner } from './job-runner.js';
import { JobListener } from './jobs.js';

/** Workers end before the database pool does: a running job still writes its result. */
@Injectable()
class CloseJobQueue implements BeforeApplicationShutdown {
  constructor(private readonly queue: JobQueue) {}

  async beforeApplicationShutdown(): Promise<void> {
    await this.queue.close();
  }
}

/**
 * Gives every module `JobQueue` and runs the jobs among its providers. How to connect and what to keep is @nestjs/bullmq's shared configuration, so that a `@Processor` or a
 * registered queue of that package runs on the same engine.
 */
@Global()
@Module({})
export class QueueModule {
  static forRoot(
    engine: QueueEngine,
    options: BullMqOptions & { readonly kept?: JobsKept } = {},
    listener: JobListener = { ran: () => undefined },
  ): DynamicModule {
    const log = new Logger('Queue');
    const onError = options.onError ?? ((error: Error): void => log.warn(error.message));
    const connections = {
      module: QueueConnectionsModule,
      global: true,
      providers: [{ provide: QueueConnections, useFactory: () => openQueueConnections(engine, onError, options.kept) }],
      exports: [QueueConnections],
    };
    return {
      module: QueueModule,
      imports: [
        DiscoveryModule,
        connections,
        BullModule.forRootAsync({
          useFactory: (opened: QueueConnections) => {
            setDefaultBackendFactory(opened.backend as never);
            return opened.options;
          },
          inject: [QueueConnections],
        }),
      ],
      providers: [
        {
          provide: JobQueue,
          useFactory: (opened: QueueConnections, shared: QueueOptions) => new BullMqJobQueue(opened, { ...options, onError }, shared),
          inject: [QueueConnections, getSharedConfigToken()],
        },
        { provide: JobListener, useValue: listener },
        JobRunner,
        CloseJobQueue,
      ],
      exports: [JobQueue],
    };
  }
}

@Module({})
class QueueConnectionsModule {}
