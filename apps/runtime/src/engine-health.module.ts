import { type Abstract, Injectable, Module, type OnModuleInit } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { ChainNode, Indexer, JsonRpc } from '#chain';
import { ContentStore } from '#content-storage';
import { type Check, HealthChecks } from '#http';
import { DomainError } from '#kernel';
import { DatabaseHealth, UnitOfWork } from '#persistence';
import { JobQueue } from '#queue';
import { EngineWatch } from './engine-watch.js';

/** What does not work without an engine that only a part of the requests needs. */
const IMPACT = {
  database_write_access:
    'What has to be stored is refused with 503, once there is no room for it: changes, preparing, logins, tracking. New blocks and periodic work wait. Reads work.',
  queue:
    'Periodic work, exports and refreshes of reports wait, and webhooks are sent a second later. On Redis, logins are refused with 503 and requests are not counted against rate limits.',
  content_storage: (reason: string): string =>
    reason === 'no_space' || reason === 'read_only'
      ? 'No content can be stored: preparing is refused with 503. What is stored can be read.'
      : 'Contents can be neither stored nor read: preparing, verifying and exporting are refused with 503. Lists, lots and lineage work.',
  chain: 'Nothing new lands, and preparing is refused with 503. Reads show the state of the last indexed block.',
  indexer: 'Nothing new lands. Reads show the state of the last indexed block.',
} as const;

/** Registers each engine of this process with /health/ready. */
@Injectable()
class EngineHealth implements OnModuleInit {
  constructor(
    private readonly checks: HealthChecks,
    private readonly modules: ModuleRef,
  ) {}

  onModuleInit(): void {
    const [database, queue, content] = [this.engine(DatabaseHealth), this.engine(JobQueue), this.engine(ContentStore)];
    this.checks.register('database', () => database.check());
    // Without the database nothing can be answered. Without one of the others a part of the requests can, so a load balancer must go on
    // sending them (docs/spec/reliability.md#readiness).
    const unitOfWork = this.engine(UnitOfWork);
    const partly = (name: keyof typeof IMPACT, check: Check): void =>
      this.checks.register(name, check, { required: false, impact: IMPACT[name] });
    partly('database_write_access', () => unitOfWork.checkWrites());
    partly('queue', async () => {
      await queue.check();
      if (queue.engine === 'database') await unitOfWork.checkWrites();
    });
    partly('content_storage', () => content.check());
    partly('chain', () => askChain(this.engine(ChainNode), this.engine(JsonRpc)));
    const indexer = indexerOf(this.modules);
    if (indexer) partly('indexer', () => askIndexer(indexer));
  }

  private engine<T>(type: Abstract<T>): T {
    return this.modules.get<T>(type, { strict: false });
  }
}

async function askChain(chain: ChainNode, rpc: JsonRpc): Promise<Readonly<Record<string, unknown>>> {
  const { state, detail } = await chain.state();
  if (state === 'down') throw new DomainError('chain_unavailable', 503, detail ?? 'the chain does not answer');
  // The process of an embedded node can exist and not answer; a node of others was asked this by `state`.
  if (chain.kind === 'embedded') await rpc.call('eth_chainId', []);
  return { kind: chain.kind, ...rpc.metrics.counts };
}

async function askIndexer(indexer: Indexer): Promise<Readonly<Record<string, unknown>>> {
  const { state, detail, ...position } = indexer.status;
  if (state === 'stopped' || state === 'failing') throw new DomainError(`indexer_${state}`, 503, detail ?? `the indexer is ${state}`);
  // Without `detail`: the page is public, and a driver's message could contain host and user names.
  return { phase: state, ...position };
}

@Module({ providers: [EngineHealth, EngineWatch] })
export class EngineHealthModule {}

/** The indexer of this process. A process with ROLE=api has none; then the container throws. */
export function indexerOf(modules: ModuleRef): Indexer | null {
  try {
    return modules.get(Indexer, { strict: false });
  } catch {
    return null;
  }
}
