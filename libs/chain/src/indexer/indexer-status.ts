import { EngineUnavailable } from '#kernel';
import { RpcBehind } from '../rpc/rpc-errors.js';
import { OtherChain, ReorgTooDeep, UnknownContract } from './chain-event.js';
import { CursorMoved } from './cursor.queries.js';

export type IndexerState =
  | 'starting'
  /** No registry is configured or recorded yet. */
  | 'waiting_for_registry'
  /** Another process writes; this one takes over when that one ends. */
  | 'standby'
  /** Reading history. */
  | 'catching_up'
  /** At the head. */
  | 'following'
  /** Every node is behind the index. */
  | 'node_behind'
  | 'chain_away'
  | 'database_away'
  /** An event could not be applied; it is tried again. */
  | 'failing'
  /** An operator has to act: a reorg deeper than the window, another chain, or a contract of a later version. */
  | 'stopped'
  /** The process ends. */
  | 'ended';

export interface IndexerStatus {
  readonly state: IndexerState;
  /** A sentence for the operator; null when there is no problem. */
  readonly detail: string | null;
  /** Last indexed block, last final one, and the node's newest; null before they are known. */
  readonly head: number | null;
  readonly final: number | null;
  readonly nodeHead: number | null;
  /** Blocks between the node's head and the last indexed block. */
  readonly lag: number | null;
}

const HEALTHY: readonly IndexerState[] = ['following', 'catching_up', 'standby', 'waiting_for_registry', 'ended'];

export const isHealthy = (state: IndexerState): boolean => HEALTHY.includes(state);

const SENTENCES: Readonly<Record<IndexerState, string>> = {
  starting: 'The indexer starts',
  waiting_for_registry: 'The indexer waits for a registry contract',
  standby: 'The indexer is on standby',
  catching_up: 'The indexer catches up with the chain',
  following: 'The indexer follows the chain',
  node_behind: 'The indexer waits for a node that is not behind it',
  chain_away: 'The indexer waits for the chain',
  database_away: 'The indexer waits for the database',
  failing: 'The indexer fails and tries again',
  stopped: 'The indexer is stopped',
  ended: 'The indexer has ended',
};

/** For the log. The end of a fault has the level of its beginning, so that who reads the one reads the other. */
export function lineOf(now: IndexerStatus, before: IndexerStatus): [level: 'info' | 'warn', line: string] {
  const hadFault = !isHealthy(before.state) && before.state !== 'starting';
  const line = `${SENTENCES[now.state]}${now.detail === null ? '' : `: ${now.detail}`}`;
  return [isHealthy(now.state) && !(hadFault && now.state !== 'ended') ? 'info' : 'warn', line];
}

/** State and detail that an error leads to. */
export function stateAfter(error: unknown): [IndexerState, string | null] {
  if (error instanceof CursorMoved) return ['starting', null];
  if (error instanceof ReorgTooDeep || error instanceof OtherChain || error instanceof UnknownContract) return ['stopped', error.message];
  if (error instanceof RpcBehind) return ['node_behind', error.message];
  if (error instanceof EngineUnavailable) {
    const cause = error.cause instanceof Error ? error.cause.message : null;
    return [error.engine === 'database' ? 'database_away' : error.engine === 'chain' ? 'chain_away' : 'failing', cause];
  }
  return ['failing', error instanceof Error ? error.message : String(error)];
}
