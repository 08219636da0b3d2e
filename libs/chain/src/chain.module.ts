import type { ChainConfig } from '#config';
import { UnitOfWork } from '#persistence';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { ChainHead } from './chain-head.js';
import { ChainProfile } from './chain-profile.js';
import { ConfiguredChainProfile, ProjectedChainHead } from './configured-chain.js';
import { Deployments } from './deployments.js';
import { ChainNode } from './node/index.js';
import { RpcTransactionPreparer } from './prepare/rpc-transaction-preparer.js';
import { TransactionPreparer } from './prepare-transaction.js';
import { JsonRpc } from './rpc/index.js';

export interface ChainModuleOptions {
  readonly config: ChainConfig;
  /** Opened by `openChainNode` and closed by whoever opened it, after the application. */
  readonly node: ChainNode;
  readonly rpc: JsonRpc;
}

/** Gives every module the chain to ask: profile, head, preparer, deployments, transport. Needs `UnitOfWork`. */
@Global()
@Module({})
export class ChainModule {
  static forRoot({ config, node, rpc }: ChainModuleOptions): DynamicModule {
    const embeddedUrl = node.kind === 'embedded' ? node.urls[0]! : null;
    return {
      module: ChainModule,
      providers: [
        { provide: ChainNode, useValue: node },
        { provide: JsonRpc, useValue: rpc },
        { provide: TransactionPreparer, useValue: new RpcTransactionPreparer(rpc, config.chainId) },
        { provide: ChainHead, useValue: new ProjectedChainHead(config.chainId) },
        {
          provide: Deployments,
          useFactory: (unitOfWork: UnitOfWork) => new Deployments(unitOfWork, config.chainId, config.registry),
          inject: [UnitOfWork],
        },
        {
          provide: ChainProfile,
          useFactory: (deployments: Deployments) => new ConfiguredChainProfile(config, deployments, embeddedUrl),
          inject: [Deployments],
        },
      ],
      exports: [ChainNode, JsonRpc, TransactionPreparer, ChainHead, Deployments, ChainProfile],
    };
  }
}
