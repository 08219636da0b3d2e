import { Injectable } from '@nestjs/common';
import type { Actor } from '#kernel';
import type { SnapshotTx, TenantTx } from '#persistence';
import { type AsOf, type Asked, type Descent, LotShapes, type LotTrace, type LotWeight, type Shapes } from '../../contract.js';
import { EDGE_KINDS } from '../../domain/edge.js';
import { graphShares } from '../../domain/lineage-graph.js';
import { timeOfBlock } from '../persistence/block-times.js';
import { eventCounts } from '../persistence/event-counts.js';
import { type EdgeRow, MAX_EDGES_CONTINUED, edgesAmong, edgesInto } from '../persistence/lineage-edges.js';
import { drawsAmong, drawsFrom } from '../persistence/lot-draws.js';
import { holdersOf } from '../persistence/lot-holders.js';
import { lotNodes } from '../persistence/lot-nodes.js';
import { tracesOf } from '../persistence/sql-traces.js';
import { LotReading, type TracedLot } from '../persistence/traced-lots.js';
import { LotTexts, type OwnText, STORED_TEXT, type StoredText, ownText, processOf } from './lot-texts.js';
import { LotViews } from './lot-views.js';

interface Traced {
  readonly lot: TracedLot;
  readonly text: OwnText;
}

@Injectable()
export class ReadLotShapes extends LotShapes {
  constructor(private readonly lotViews: LotViews) {
    super();
  }

  override async of(tx: SnapshotTx, actor: Actor, asked: Asked, asOf: AsOf): Promise<Shapes> {
    const at = { block: asOf, time: asOf === null ? null : await timeOfBlock(tx, asOf) };
    const reading = new LotReading(at, `, ${STORED_TEXT}`, (lot, row: StoredText): Traced => ({ lot, text: ownText(lot, row) }));
    const ahead = readAhead(tx, reading, asked.likely);
    try {
      const descent = await asked.lots(tx);
      const { root, descendants, containers, before } = descent;
      const shown = [root, ...descendants, ...containers];
      reading.add(shown);
      ahead.allIsAdded();
      const [counts, edges, holders] = await Promise.all([
        eventCounts(tx, shown, asOf),
        // Read once for both: what of the root went where, and what was drawn from each lot.
        edgesInto(tx, [root, ...descendants, ...before], EDGE_KINDS, asOf, MAX_EDGES_CONTINUED),
        holdersOf(tx, shown, asOf),
        reading.on(tx),
        ahead.done,
      ]);
      const wanted = new Set(shown);
      const read = reading.lots.filter(({ lot }) => wanted.has(lot.tokenId));
      const lots = read.map(({ lot }) => lot);
      const draws = edges ? await drawsAmong(tx, lots, new Set([root, ...descendants]), edges, asOf) : await drawsFrom(tx, lots, asOf);
      const traces = await tracesOf(tx, lots, draws, holders);
      return {
        lots: traces,
        shares: edges ? await sharesOf(tx, descent, edges, traces, asOf) : new Map(),
        shape: await this.shapes(tx, actor, read, counts),
      };
    } finally {
      ahead.allIsAdded();
    }
  }

  private async shapes(tx: TenantTx, actor: Actor, read: readonly Traced[], counts: ReadonlyMap<string, string>): Promise<Shapes['shape']> {
    const alike = [...new Set(read.map(({ lot }) => lot.alike))];
    const around = await this.lotViews.around(
      tx,
      actor,
      alike.map((one) => ({ custodian: one.custodian, process: processOf(one), locatedBy: null })),
    );
    const texts = new LotTexts(around);
    const known = new Map(read.map((one) => [one.lot.tokenId, one]));
    return (tokenId) => {
      const { lot, text } = known.get(tokenId)!;
      return texts.of(lot, text, counts.get(String(tokenId)) ?? '0');
    };
  }
}

/** On another connection, as soon as lots are known, until all are read that will be added. */
function readAhead(
  tx: SnapshotTx,
  reading: LotReading<StoredText, Traced>,
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
  traces: readonly LotTrace[],
  asOf: AsOf,
): Promise<Shapes['shares']> {
  const lots = new Map<bigint, LotWeight>(before.length > 0 ? await lotNodes(tx, before, { block: asOf, time: null }) : []);
  for (const trace of traces) lots.set(trace.tokenId, trace);
  for (const container of containers) lots.delete(container);
  const into = edges.filter(({ to }) => lots.has(to));
  return graphShares(root, 'descendants', await edgesAmong(tx, into, lots));
}
