import type { Registry } from 'prom-client';
import type { IndexerState, IndexerStatus } from '#chain';
import { counter, gauge, reading, readingsOf } from './readings.js';
import type { WatchedSources } from './sources.js';

/** Whether the block numbers of the status are current; otherwise another process runs the indexer. */
const STATES = {
  starting: false,
  waiting_for_registry: false,
  standby: false,
  catching_up: true,
  following: true,
  node_behind: true,
  chain_away: true,
  database_away: true,
  failing: true,
  stopped: true,
  ended: false,
} as const satisfies Record<IndexerState, boolean>;

export function chainGauges(registry: Registry, sources: () => WatchedSources | null): void {
  const status = (): IndexerStatus | null => sources()?.indexer?.status ?? null;
  const current = (): IndexerStatus | null => {
    const now = status();
    return now !== null && STATES[now.state] ? now : null;
  };
  gauge(
    registry,
    {
      name: 'traceability_indexer_state',
      help: '1 for the state that the indexer of this process is in, 0 for the others.',
      labelNames: ['state'],
    },
    () => {
      const now = status();
      return now === null
        ? []
        : readingsOf('state', Object.fromEntries(Object.keys(STATES).map((state) => [state, Number(state === now.state)])));
    },
  );
  gauge(registry, { name: 'traceability_chain_lag_blocks', help: "Blocks between the node's head and the last indexed block." }, () =>
    reading(current()?.lag),
  );
  gauge(
    registry,
    {
      name: 'traceability_chain_block',
      help: "Number of the node's newest block, the last indexed block and the last final block.",
      labelNames: ['position'],
    },
    () => {
      const now = current();
      return now === null ? [] : readingsOf('position', { node: now.nodeHead, projected: now.head, final: now.final });
    },
  );
  countersOf(registry, sources);
}

function countersOf(registry: Registry, sources: () => WatchedSources | null): void {
  const counts = () => sources()?.chain.counts;
  counter(registry, { name: 'traceability_chain_reorgs_total', help: 'Reorganisations that the indexer followed.' }, () =>
    reading(counts()?.reorgs),
  );
  counter(registry, { name: 'traceability_chain_blocks_taken_back_total', help: 'Blocks undone by reorganisations.' }, () =>
    reading(counts()?.blocksTakenBack),
  );
  counter(registry, { name: 'traceability_chain_rpc_requests_total', help: 'JSON-RPC exchanges with the nodes.' }, () =>
    reading(counts()?.requests),
  );
  counter(
    registry,
    {
      name: 'traceability_chain_rpc_errors_total',
      help: 'JSON-RPC exchanges without a usable answer.',
      labelNames: ['endpoint', 'reason'],
    },
    () =>
      Object.entries(counts()?.errors ?? {}).map(([key, value]) => {
        const at = key.lastIndexOf(' ');
        return { value, labels: { endpoint: key.slice(0, at), reason: key.slice(at + 1) } };
      }),
  );
}
