import type { ChainConfig } from '#config';
import { type ContextPersistence, UnitOfWork } from '#persistence';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { join } from 'node:path';
import { ChainProfile, Deployments } from './deployments/deployments.js';
import { ChainHead } from './indexer/cursor.queries.js';
import { ChainNode, NodeNotUsable, RpcNode } from './node/chain-node.js';
import { RpcTransactionPreparer } from './prepare/rpc-transaction-preparer.js';
import { TransactionPreparer } from './prepare/transaction-preparer.js';
import { JsonRpc } from './rpc/json-rpc.js';
import { AnvilNode } from './node/anvil-node.js';

const FIRST_ANSWER_MS = 5_000;

/**
 * A node that is away at the start may come back; one that answers for another chain is a wrong setting. While another address answers for
 * the right chain, the service starts, and the wrong one is never used.
 * @throws NodeNotUsable
 */
async function requireChain(urls: readonly string[], chainId: number, log?: (line: string) => void): Promise<void> {
  const found = await Promise.all(
    urls.map(async (url) => {
      const rpc = new JsonRpc({ urls: [url], timeoutMs: FIRST_ANSWER_MS, passes: 1 });
      const answer = await rpc.call<string>('eth_chainId', []).catch(() => null);
      return { host: new URL(url).host, chain: answer === null ? null : Number(answer) };
    }),
  );
  const wrong = found.filter(({ chain }) => chain !== null && chain !== chainId);
  const lines = wrong.map(({ host, chain }) => `The node ${host} is on chain ${chain}, but CHAIN_ID is ${chainId}.`);
  if (wrong.length > 0 && !found.some(({ chain }) => chain === chainId))
    throw new NodeNotUsable(`${lines.join(' ')} Set CHAIN_ID to the chain of the node, or CHAIN_RPC_URLS to a node of chain ${chainId}.`);
  for (const line of lines) log?.(`${line} It is not used; correct CHAIN_RPC_URLS.`);
}

/** Opens the configured node and the JSON-RPC client for it. @throws NodeNotUsable */
export async function openChainNode(
  config: ChainConfig,
  dataDir: string,
  log?: (line: string) => void,
): Promise<{ readonly node: ChainNode; readonly rpc: JsonRpc }> {
  if (config.node.kind === 'rpc') {
    const { urls } = config.node;
    await requireChain(urls, config.chainId, log);
    const rpc = new JsonRpc({ urls, timeoutMs: config.timeoutMs, chainId: config.chainId });
    return { node: new RpcNode(urls, rpc, config.chainId), rpc };
  }
  const node = await AnvilNode.open({ folder: join(dataDir, 'chain'), chainId: config.chainId, port: config.node.port, log });
  const isAway = (): boolean => node.isRestarting;
  return { node, rpc: new JsonRpc({ urls: node.urls, timeoutMs: config.timeoutMs, chainId: config.chainId, isAway }) };
}

export const chainPersistence: ContextPersistence = {
  schema: 'chain',
  migrations: new URL('./migrations/', import.meta.url),
  entities: [],
};

export interface ChainModuleOptions {
  readonly config: ChainConfig;
  /** Opened by `openChainNode`. The caller closes it, after the application. */
  readonly node: ChainNode;
  readonly rpc: JsonRpc;
}

/** Provides the chain to every module: profile, head, transaction preparer, deployments and JSON-RPC. Needs `UnitOfWork`. */
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
        { provide: ChainHead, useValue: new ChainHead(config.chainId) },
        {
          provide: Deployments,
          useFactory: (unitOfWork: UnitOfWork) => new Deployments(unitOfWork, config.chainId, config.registry, config.accountFactory),
          inject: [UnitOfWork],
        },
        {
          provide: ChainProfile,
          useFactory: (deployments: Deployments) => new ChainProfile(config, deployments, embeddedUrl),
          inject: [Deployments],
        },
      ],
      exports: [ChainNode, JsonRpc, TransactionPreparer, ChainHead, Deployments, ChainProfile],
    };
  }
}
