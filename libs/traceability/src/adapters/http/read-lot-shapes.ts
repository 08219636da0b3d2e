import { Injectable } from '@nestjs/common';
import type { Actor } from '#kernel';
import type { SnapshotTx, TenantTx } from '#persistence';
import { type AsOf, type Asked, type Descent, LotShapes, type LotTrace, type LotWeight, type Shapes } from '../../contract.js';
import { EDGE_KINDS } from '../../domain/edge.js';
import { sharesAlong } from '../../domain/lineage-graph.js';
import { timeOfBlock } from '../persistence/block-times.js';
import { eventCounts } from '../persistence/event-counts.js';
import { type EdgeRow, MAX_EDGES_CONTINUED, edgesInto, stepsAmong } from '../persistence/lineage-edges.js';
import { drawnBeyond, drawsAmong, drawsFrom } from '../persistence/lot-draws.js';
import { holdersOf } from '../persistence/lot-holders.js';
import { lotNodes } from '../persistence/lot-nodes.js';
import { tracesOf } from '../persistence/sql-traces.js';
import { type Alike, LotReading, type TracedLot } from '../persistence/traced-lots.js';
import { LotTexts, STORED_TEXT, type StoredText, processOf } from './lot-texts.js';
import { LotViews } from './lot-views.js';

type Traced = TracedLot & { readonly more: StoredText };

@Injectable()
export class ReadLotShapes extends LotShapes {
  constructor(private readonly lotViews: LotViews) {
    super();
  }

  override async of(tx: SnapshotTx, actor: Actor, asked: Asked, asOf: AsOf): Promise<Shapes> {
    const at = { block: asOf, time: asOf === null ? null : await timeOfBlock(tx, asOf) };
    const reading = new LotReading(at, `, ${STORED_TEXT}`, ({ stored, metadata }: StoredText) => ({ stored, metadata }));
    const ahead = readAhead(tx, reading, asked.likely);
    try {
      const descent = await asked.lots(tx);
      const { root, descendants, containers, before } = descent;
      const shown = [root, ...descendants, ...containers];
      reading.add(shown);
      ahead.allIsAdded();
      // A turn for the other connection to be asked for: behind what is asked here, it would come when half is read.
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
      const traces = new Map((await tracesOf(tx, lots, draws, holders)).map((trace) => [trace.tokenId, trace]));
      return {
        lots: traces,
        shares: edges ? await sharesOf(tx, descent, edges, traces, asOf) : new Map(),
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
  ): Promise<Shapes['shape']> {
    const alikes = new Set<Alike>();
    for (const { alike } of lots.values()) alikes.add(alike);
    const around = await this.lotViews.around(
      tx,
      actor,
      [...alikes].map((alike) => ({ custodian: alike.custodian, process: processOf(alike), locatedBy: null })),
    );
    const texts = new LotTexts(around);
    return (tokenId) => {
      const lot = lots.get(tokenId)!;
      return texts.of(lot, lot.more, counts.get(String(tokenId)) ?? '0');
    };
  }
}

/** On another connection, as soon as lots are known, until all are read that will be added. */
function readAhead(
  tx: SnapshotTx,
  reading: LotReading<StoredText>,
  likely: Asked['likely'],
): { readonly done: Promise<void>; allIsAdded(): void } {
  let allIsAdded = (): void => undefined;
  const added = new Promise<void>((resolve) => (allIsAdded = resolve));
  const done = likely
    ? tx.aside(async (beside) => {
        if (beside !== tx) {
          reading.add(await likely(beside));
          await reading.on(beside);
        }
        await added;
        await reading.on(beside);
      })
    : added.then(() => (reading.isLong ? tx.aside((beside) => reading.on(beside)) : undefined));
  // It is waited for when the lots are known, unless finding them fails.
  done.catch(() => undefined);
  return { done, allIsAdded };
}

/** @param traces of the lots that are shown */
async function sharesOf(
  tx: TenantTx,
  { root, containers, before }: Descent,
  edges: readonly EdgeRow[],
  traces: ReadonlyMap<bigint, LotTrace>,
  asOf: AsOf,
): Promise<Shapes['shares']> {
  if (before.length === 0 && containers.length === 0) return sharesAlong(root, await stepsAmong(tx, edges, traces));
  const lots = new Map<bigint, LotWeight>(before.length > 0 ? await lotNodes(tx, before, { block: asOf, time: null }) : []);
  for (const [tokenId, trace] of traces) lots.set(tokenId, trace);
  for (const container of containers) lots.delete(container);
  return sharesAlong(root, await stepsAmong(tx, edges, lots));
}
