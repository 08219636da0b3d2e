import { Injectable } from '@nestjs/common';
import { ChainHead } from '#chain';
import { Parties } from '#identity';
import type { Actor } from '#kernel';
import type { SnapshotTx, TenantTx } from '#persistence';
import {
  type AsOf,
  type Weight,
  type DescentRequest,
  type Descent,
  RecalledLots,
  type Traceback,
  type DescentAnswer,
} from '../contract/lineage.js';
import { EDGE_KINDS, sharesAlong } from './lineage-graph.js';
import { timeOfBlock } from '../lots/lot-state.queries.js';
import { type EdgeRow, MAX_EDGES_CONTINUED, edgesInto, edgeSharesAmong } from './edges.queries.js';
import { drawnBeyond, drawsAmong, drawsFrom, eventCounts, holdersOf, tracebacksOf } from './tracebacks.queries.js';
import { lotNodes } from './lineage.queries.js';
import { TracebackReading, type TracebackRow } from './traceback-lots.queries.js';
import { ResponseText, STORED_MEMBERS, type StoredMembers, processOf } from './lot-response-text.dto.js';
import { loadPublicPointers } from '../process-maps/process-maps.queries.js';

type Traced = TracebackRow & { readonly more: StoredMembers };

@Injectable()
export class RecallReader extends RecalledLots {
  constructor(
    private readonly parties: Parties,
    private readonly chainHead: ChainHead,
  ) {
    super();
  }

  override async of(tx: SnapshotTx, actor: Actor, request: DescentRequest, asOf: AsOf): Promise<DescentAnswer> {
    const at = { block: asOf, time: asOf === null ? null : await timeOfBlock(tx, asOf) };
    const reading = new TracebackReading(at, `, ${STORED_MEMBERS}`, ({ stored, metadata }: StoredMembers) => ({ stored, metadata }));
    const ahead = readAhead(tx, reading, request.likely);
    try {
      const descent = await request.lots(tx);
      const { root, descendants, containers, before } = descent;
      const shown = [root, ...descendants, ...containers];
      reading.add(shown);
      ahead.allIsAdded();
      // Yields once, so that the other connection is requested first: behind the statements below it would come when half is read.
      await Promise.resolve();
      const [counts, edges, holders, beyond] = await Promise.all([
        eventCounts(tx, shown, asOf),
        // Read once for both: what of the root went where, and what was drawn from each lot.
        edgesInto(tx, [root, ...descendants, ...before], EDGE_KINDS, asOf, MAX_EDGES_CONTINUED),
        holdersOf(tx, shown, asOf),
        drawnBeyond(tx, shown, [root, ...descendants], asOf),
        reading.on(tx),
        ahead.done,
      ]);
      const lots = shown.flatMap((tokenId) => reading.lots.get(tokenId) ?? []);
      const draws = edges ? await drawsAmong(tx, reading.lots, edges, beyond) : await drawsFrom(tx, lots, asOf);
      const tracebacks = new Map((await tracebacksOf(tx, lots, draws, holders)).map((traceback) => [traceback.tokenId, traceback]));
      return {
        lots: tracebacks,
        shares: edges ? await sharesOf(tx, descent, edges, tracebacks, asOf) : new Map(),
        shape: await this.shapes(tx, actor, reading.lots, counts),
      };
    } finally {
      reading.stop();
      ahead.allIsAdded();
    }
  }

  private async shapes(
    tx: TenantTx,
    actor: Actor,
    lots: ReadonlyMap<bigint, Traced>,
    counts: ReadonlyMap<string, string>,
  ): Promise<DescentAnswer['shape']> {
    const kinds = [...new Set([...lots.values()].map(({ shared }) => shared))];
    const [labels, publicPointers, { final }] = await Promise.all([
      this.parties.labels(tx, [...new Set(kinds.map(({ custodian }) => custodian))]),
      loadPublicPointers(tx, kinds.map(processOf)),
      this.chainHead.position(tx),
    ]);
    const texts = new ResponseText({ actor, labels, publicPointers, finalBlock: final });
    return (tokenId) => {
      const lot = lots.get(tokenId)!;
      return texts.of(lot, lot.more, counts.get(String(tokenId)) ?? '0');
    };
  }
}

/** On another connection, as soon as lots are known, until all are read that will be added. */
function readAhead(
  tx: SnapshotTx,
  reading: TracebackReading<StoredMembers>,
  likely: DescentRequest['likely'],
): { readonly done: Promise<void>; allIsAdded(): void } {
  let allIsAdded = (): void => undefined;
  const added = new Promise<void>((resolve) => (allIsAdded = resolve));
  const done = likely
    ? tx.onSecondConnection(async (beside) => {
        if (beside !== tx) {
          reading.add(await likely(beside));
          await reading.on(beside);
        }
        await added;
        await reading.on(beside);
      })
    : added.then(() => (reading.isLong ? tx.onSecondConnection((beside) => reading.on(beside)) : undefined));
  // It is waited for when the lots are known, unless finding them fails.
  done.catch(() => undefined);
  return { done, allIsAdded };
}

/** @param tracebacks of the lots that are shown */
async function sharesOf(
  tx: TenantTx,
  { root, containers, before }: Descent,
  edges: readonly EdgeRow[],
  tracebacks: ReadonlyMap<bigint, Traceback>,
  asOf: AsOf,
): Promise<DescentAnswer['shares']> {
  if (before.length === 0 && containers.length === 0) return sharesAlong(root, await edgeSharesAmong(tx, edges, tracebacks));
  const lots = new Map<bigint, Weight>(before.length > 0 ? await lotNodes(tx, before, { block: asOf, time: null }) : []);
  for (const [tokenId, traceback] of tracebacks) lots.set(tokenId, traceback);
  for (const container of containers) lots.delete(container);
  return sharesAlong(root, await edgeSharesAmong(tx, edges, lots));
}
