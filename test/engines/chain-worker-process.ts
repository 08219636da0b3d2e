import { chainPersistence, Deployments, Indexer, JsonRpc, RpcNode } from '#chain';
import { openDatabase, type PostgresEndpoint, UnitOfWork } from '#persistence';
import { ProbeDirectory, ProbeProjector, probePersistence } from './chain-probe.js';

// A worker in a process of its own, for tests that kill it. Says each change of the indexer's state on a line.
const { endpoint, url, chainId } = JSON.parse(process.argv[2]!) as { endpoint: PostgresEndpoint; url: string; chainId: number };
const dataSource = await openDatabase(endpoint, [chainPersistence, probePersistence], {
  applicationName: 'trace-worker',
  mode: 'production',
});
const unitOfWork = new UnitOfWork(dataSource);
const rpc = new JsonRpc({ urls: [url], timeoutMs: 2_000 });
const deployments = new Deployments(unitOfWork, chainId, null);
const indexer = new Indexer(
  { unitOfWork, rpc, node: new RpcNode([url], rpc, chainId), deployments },
  { chainId, confirmations: 1, reorgWindow: 64, pollMs: 20, log: () => process.stdout.write(`${indexer.status.state}\n`) },
);
indexer.start({ directory: new ProbeDirectory(), projectors: [new ProbeProjector('first')] });
