import type { SystemTx, Tx } from '#persistence';
import type { BlockMark } from './chain-event.js';
import type { IndexerCommand } from './indexer-commands.js';

export interface StoredCursor {
  readonly genesisHash: string;
  readonly final: number;
  readonly stopped: string | null;
  /** What kept the last writer from following the chain. */
  readonly fault: string | null;
  /** The indexed state was undone and has not reached the head of the chain again. */
  readonly rebuilding: boolean;
  /** The operator's command that is not executed yet. */
  readonly command: IndexerCommand | null;
  /** Oldest first; the last is the head. Empty when the database was restored without its indexed state. */
  readonly marks: readonly BlockMark[];
}

/** Another writer has written in the meantime: this one has to read the cursor again. */
export class CursorMoved extends Error {}

export async function readCursor(tx: SystemTx, chainId: number): Promise<StoredCursor | null> {
  const [cursor] = await tx.sql<{
    genesis_hash: string;
    head_number: string;
    head_hash: string;
    final_number: string;
    stopped: string | null;
    fault: string | null;
    command: IndexerCommand['kind'] | null;
    command_to_block: string | null;
    rebuilding: boolean;
  }>(
    'select genesis_hash, head_number, head_hash, final_number, stopped, fault, command, command_to_block, rebuilding from chain.cursor where chain_id = $1',
    [chainId],
  );
  if (!cursor) return null;
  const blocks = await tx.sql<{ number: string; hash: string; parent_hash: string }>(
    'select number, hash, parent_hash from chain.block where chain_id = $1 order by number',
    [chainId],
  );
  const marks = blocks.map((block) => ({ number: Number(block.number), hash: block.hash, parentHash: block.parent_hash }));
  const { genesis_hash: genesisHash, stopped, fault, command: kind, command_to_block: back, rebuilding } = cursor;
  const command: IndexerCommand | null = kind === 'resume' ? { kind, backTo: back === null ? null : Number(back) } : kind && { kind };
  return { genesisHash, final: Number(cursor.final_number), stopped, fault, rebuilding, command, marks };
}

/** Starts after `before`, the parent of the first block of interest. */
export async function createCursor(tx: SystemTx, chainId: number, genesisHash: string, before: BlockMark): Promise<void> {
  await tx.sql('insert into chain.cursor (chain_id, genesis_hash, head_number, head_hash, final_number) values ($1, $2, $3, $4, -1)', [
    chainId,
    genesisHash,
    before.number,
    before.hash,
  ]);
  await tx.sql('insert into chain.block (chain_id, number, hash, parent_hash) values ($1, $2, $3, $4)', [
    chainId,
    before.number,
    before.hash,
    before.parentHash,
  ]);
}

/** @param to the new position; `final`: this block and all before it are final @throws CursorMoved */
export async function moveCursor(
  tx: SystemTx,
  chainId: number,
  from: BlockMark,
  to: { readonly mark: BlockMark; readonly time: Date | null; readonly final?: boolean },
): Promise<void> {
  const { mark, time, final = false } = to;
  const moved = await tx.sql(
    `update chain.cursor set head_number = $4, head_hash = $5, head_time = $6,
       final_number = case when $7 then $4 else least(final_number, $4) end
     where chain_id = $1 and head_number = $2 and head_hash = $3 returning 1`,
    [chainId, from.number, from.hash, mark.number, mark.hash, time, final],
  );
  if (moved.length === 0) throw new CursorMoved(`the cursor is no longer at block ${from.number}`);
}

/** @throws CursorMoved */
export async function moveFinal(tx: SystemTx, chainId: number, at: BlockMark, final: number): Promise<void> {
  const moved = await tx.sql(
    'update chain.cursor set final_number = $4 where chain_id = $1 and head_number = $2 and head_hash = $3 returning 1',
    [chainId, at.number, at.hash, final],
  );
  if (moved.length === 0) throw new CursorMoved(`the cursor is no longer at block ${at.number}`);
}

/** The last block that is final. Locked, so that no other writer moves it in between. */
export async function finalBlock(tx: SystemTx, chainId: number): Promise<number> {
  const [cursor] = await tx.sql<{ final: string }>('select final_number as final from chain.cursor where chain_id = $1 for update', [
    chainId,
  ]);
  return cursor ? Number(cursor.final) : -1;
}

export async function rememberBlocks(tx: SystemTx, chainId: number, marks: readonly BlockMark[], windowSize: number): Promise<void> {
  await tx.sql(
    `insert into chain.block (chain_id, number, hash, parent_hash)
     select $1, m.number, m.hash, m.parent_hash from unnest($2::bigint[], $3::text[], $4::text[]) as m(number, hash, parent_hash)`,
    [chainId, marks.map((m) => m.number), marks.map((m) => m.hash), marks.map((m) => m.parentHash)],
  );
  const first = marks[0]!.number;
  const last = marks.at(-1)!.number;
  // Blocks before a gap give no information about the blocks after it.
  await tx.sql(
    `delete from chain.block where chain_id = $1 and (number <= $2 or (number < $3 and not exists
       (select from chain.block b where b.chain_id = $1 and b.number = $3 - 1)))`,
    [chainId, last - windowSize, first],
  );
}

export async function forgetBlocksAfter(tx: SystemTx, chainId: number, number: number): Promise<void> {
  await tx.sql('delete from chain.block where chain_id = $1 and number > $2', [chainId, number]);
}

export async function stopCursor(tx: SystemTx, chainId: number, reason: string): Promise<void> {
  await tx.sql('update chain.cursor set stopped = $2 where chain_id = $1', [chainId, reason]);
}

export async function noteFault(tx: SystemTx, chainId: number, fault: string | null): Promise<void> {
  await tx.sql('update chain.cursor set fault = $2 where chain_id = $1', [chainId, fault]);
}

export async function hasPendingCommand(tx: SystemTx, chainId: number): Promise<boolean> {
  const [row] = await tx.sql<{ command: string | null }>('select command from chain.cursor where chain_id = $1', [chainId]);
  return row !== undefined && row.command !== null;
}

/** The indexer has reached the head of the chain again. */
export async function markRebuilt(tx: SystemTx, chainId: number): Promise<void> {
  await tx.sql('update chain.cursor set rebuilding = false where chain_id = $1 and command is null', [chainId]);
}

/** Marks the command as executed. The cursor moves to `mark`, or stays where it is when that is null. */
export async function resumeCursor(tx: SystemTx, chainId: number, mark: BlockMark | null): Promise<void> {
  await tx.sql('update chain.cursor set stopped = null, command = null, command_to_block = null where chain_id = $1', [chainId]);
  if (mark === null) return;
  await tx.sql(
    `update chain.cursor set head_number = $2, head_hash = $3, head_time = null, final_number = least(final_number, $2), rebuilding = true where chain_id = $1`,
    [chainId, mark.number, mark.hash],
  );
  await tx.sql('delete from chain.block where chain_id = $1', [chainId]);
  await tx.sql('insert into chain.block (chain_id, number, hash, parent_hash) values ($1, $2, $3, $4)', [
    chainId,
    mark.number,
    mark.hash,
    mark.parentHash,
  ]);
}

export interface ChainPosition {
  /** Last indexed block. */
  readonly head: number;
  /** Last indexed block that is final; -1 when there is none yet. */
  readonly final: number;
}

/** How far the indexer has come: its cursor, read in the caller's transaction. */
export class ChainHead {
  constructor(private readonly chainId: number) {}

  async position(tx: Tx): Promise<ChainPosition> {
    const [row] = await tx.sql<{ head_number: string; final_number: string }>(
      'select head_number, final_number from chain.cursor where chain_id = $1',
      [this.chainId],
    );
    return row ? { head: Number(row.head_number), final: Number(row.final_number) } : { head: -1, final: -1 };
  }

  /**
   * Whether the indexed state is being rebuilt (a reindex, or a database that was restored without it) and has not reached the head of the
   * chain again. Rows that are missing in this state are not deleted: code that draws lasting conclusions must wait.
   */
  async isRebuilding(tx: Tx): Promise<boolean> {
    const rows = await tx.sql(
      `select from chain.cursor c where c.chain_id = $1 and (c.rebuilding or not exists (select from chain.block b where b.chain_id = c.chain_id))`,
      [this.chainId],
    );
    return rows.length > 0;
  }
}
