import type { SystemTx } from '#persistence';
import type { BlockMark } from './chain-step.js';
import type { Order } from './orders.js';

export interface StoredCursor {
  readonly genesisHash: string;
  readonly final: number;
  readonly stopped: string | null;
  /** It was taken back, and has not come to the head again. */
  readonly anew: boolean;
  /** What an operator asks for; null = nothing. */
  readonly order: Order | null;
  /** Oldest first; the last is the head. None where the database was restored without its projection. */
  readonly marks: readonly BlockMark[];
}

/** Somebody else has written since this writer last looked: it has to read again where things stand. */
export class CursorMoved extends Error {}

export async function readCursor(tx: SystemTx, chainId: number): Promise<StoredCursor | null> {
  const [cursor] = await tx.sql<{
    genesis_hash: string;
    head_number: string;
    head_hash: string;
    final_number: string;
    stopped: string | null;
    ordered: Order['kind'] | null;
    ordered_back_to: string | null;
    anew: boolean;
  }>(
    'select genesis_hash, head_number, head_hash, final_number, stopped, ordered, ordered_back_to, anew from chain.cursor where chain_id = $1',
    [chainId],
  );
  if (!cursor) return null;
  const blocks = await tx.sql<{ number: string; hash: string; parent_hash: string }>(
    'select number, hash, parent_hash from chain.block where chain_id = $1 order by number',
    [chainId],
  );
  const marks = blocks.map((block) => ({ number: Number(block.number), hash: block.hash, parentHash: block.parent_hash }));
  const { genesis_hash: genesisHash, stopped, ordered, ordered_back_to: back, anew } = cursor;
  const order: Order | null =
    ordered === 'resume' ? { kind: ordered, backTo: back === null ? null : Number(back) } : ordered && { kind: ordered };
  return { genesisHash, final: Number(cursor.final_number), stopped, anew, order, marks };
}

/** Begins after `before`, the parent of the first block of interest. */
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

/** @param to where it stands then; `final`: it and all before it. @throws CursorMoved */
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
  if (moved.length === 0) throw new CursorMoved(`the cursor is not at block ${from.number} any more`);
}

/** @throws CursorMoved */
export async function moveFinal(tx: SystemTx, chainId: number, at: BlockMark, final: number): Promise<void> {
  const moved = await tx.sql(
    'update chain.cursor set final_number = $4 where chain_id = $1 and head_number = $2 and head_hash = $3 returning 1',
    [chainId, at.number, at.hash, final],
  );
  if (moved.length === 0) throw new CursorMoved(`the cursor is not at block ${at.number} any more`);
}

export async function rememberBlocks(tx: SystemTx, chainId: number, marks: readonly BlockMark[], windowSize: number): Promise<void> {
  await tx.sql(
    `insert into chain.block (chain_id, number, hash, parent_hash)
     select $1, m.number, m.hash, m.parent_hash from unnest($2::bigint[], $3::text[], $4::text[]) as m(number, hash, parent_hash)`,
    [chainId, marks.map((m) => m.number), marks.map((m) => m.hash), marks.map((m) => m.parentHash)],
  );
  const first = marks[0]!.number;
  const last = marks.at(-1)!.number;
  // Whatever lies before a gap says nothing about the blocks after it.
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

export async function isOrdered(tx: SystemTx, chainId: number): Promise<boolean> {
  const [row] = await tx.sql<{ ordered: string | null }>('select ordered from chain.cursor where chain_id = $1', [chainId]);
  return row !== undefined && row.ordered !== null;
}

/** What was taken back is there again. */
export async function madeAnew(tx: SystemTx, chainId: number): Promise<void> {
  await tx.sql('update chain.cursor set anew = false where chain_id = $1 and ordered is null', [chainId]);
}

/** The order is obeyed: the projection stands after `at`, or where it stood when that is null, and goes on. */
export async function resumeCursor(tx: SystemTx, chainId: number, at: BlockMark | null): Promise<void> {
  await tx.sql('update chain.cursor set stopped = null, ordered = null, ordered_back_to = null where chain_id = $1', [chainId]);
  if (at === null) return;
  await tx.sql(
    `update chain.cursor set head_number = $2, head_hash = $3, head_time = null, final_number = least(final_number, $2), anew = true where chain_id = $1`,
    [chainId, at.number, at.hash],
  );
  await tx.sql('delete from chain.block where chain_id = $1', [chainId]);
  await tx.sql('insert into chain.block (chain_id, number, hash, parent_hash) values ($1, $2, $3, $4)', [
    chainId,
    at.number,
    at.hash,
    at.parentHash,
  ]);
}
