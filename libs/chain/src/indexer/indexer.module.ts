import type { ChainConfig } from '#config';
import { UnitOfWork } from '#persistence';
import {
  type DynamicModule,
  Inject,
  Logger,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type Type,
} from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { Deployments } from '../deployments/deployments.js';
import { ChainNode } from '../node/chain-node.js';
import { JsonRpc } from '../rpc/json-rpc.js';
import { Indexer } from './indexer.js';
import { ContractDirectory, type ChainProjector } from './chain-projector.js';

export interface IndexerModuleOptions {
  readonly config: ChainConfig;
  /** Providers of other modules, looked up by class; upstream contexts first. */
  readonly projectors: readonly Type<ChainProjector>[];
  /** Default: the provider of `ContractDirectory`. */
  readonly directory?: Type<ContractDirectory>;
}

const OPTIONS = Symbol('IndexerModuleOptions');

/** Runs the indexer from the application's start to its end. Needs ChainModule and PersistenceModule. */
@Module({})
export class IndexerModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    private readonly indexer: Indexer,
    private readonly modules: ModuleRef,
    @Inject(OPTIONS) private readonly options: IndexerModuleOptions,
  ) {}

  static forRoot(options: IndexerModuleOptions): DynamicModule {
    return {
      module: IndexerModule,
      providers: [
        { provide: OPTIONS, useValue: options },
        {
          provide: Indexer,
          useFactory: (unitOfWork: UnitOfWork, rpc: JsonRpc, node: ChainNode, deployments: Deployments) =>
            new Indexer({ unitOfWork, rpc, node, deployments }, { ...options.config, log: logTo(new Logger('Indexer')) }),
          inject: [UnitOfWork, JsonRpc, ChainNode, Deployments],
        },
      ],
      exports: [Indexer],
    };
  }

  /** Not earlier: the providers of all modules exist only now. */
  onApplicationBootstrap(): void {
    const { projectors, directory } = this.options;
    const find = <T>(type: Type<T>): T => this.modules.get(type, { strict: false });
    this.indexer.start({ projectors: projectors.map(find), directory: find(directory ?? (ContractDirectory as Type<ContractDirectory>)) });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.indexer.stop();
  }
}

const logTo =
  (logger: Logger) =>
  (level: 'info' | 'warn' | 'error', line: string): void => {
    if (level === 'info') logger.log(line);
    else logger[level](line);
  };
