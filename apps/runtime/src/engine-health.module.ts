import { Injectable, Module, type OnModuleInit } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { ChainNode, type Indexer, JsonRpc } from '#chain';
import { ContentStore } from '#content-storage';
import { HealthChecks } from '#http';
import { DomainError } from '#kernel';
import { DatabaseHealth } from '#persistence';
import { JobQueue } from '#queue';
import { indexerOf } from './indexer-of.js';

/** Tells /health/ready about each engine of this process. */
@Injectable()
class EngineHealth implements OnModuleInit {
  constructor(
    private readonly checks: HealthChecks,
    private readonly database: DatabaseHealth,
    private readonly queue: JobQueue,
    private readonly content: ContentStore,
    private readonly chain: ChainNode,
    private readonly rpc: JsonRpc,
    private readonly modules: ModuleRef,
  ) {}

  onModuleInit(): void {
    this.checks.register('database', () => this.database.check());
    this.checks.register('queue', () => this.queue.check());
    this.checks.register('content_storage', () => this.content.check());
    // Reads go on without the chain: the service stays ready and says what is missing.
    this.checks.register('chain', () => this.askChain(), { required: false });
    const indexer = indexerOf(this.modules);
    if (indexer) this.checks.register('indexer', () => askIndexer(indexer), { required: false });
  }

  private async askChain(): Promise<Readonly<Record<string, unknown>>> {
    const { state, detail } = await this.chain.state();
    if (state === 'down') throw new DomainError('chain_unavailable', 503, detail ?? 'the chain does not answer');
    return { kind: this.chain.kind, ...this.rpc.metrics.counts };
  }
}

async function askIndexer(indexer: Indexer): Promise<Readonly<Record<string, unknown>>> {
  const status = indexer.status;
  if (status.state === 'stopped') throw new DomainError('indexer_stopped', 503, 'the projection stands still');
  return { ...status };
}

@Module({ providers: [EngineHealth] })
export class EngineHealthModule {}
