import type { Actor } from '#kernel';
import type { SnapshotTx, TenantTx } from '#persistence';
import {
  type AffectedLot,
  type AsOf,
  type Descent,
  Lineage,
  LotShapes,
  type LotTrace,
  type Shapes,
  Traces,
  type WalkBounds,
  type WalkEnd,
} from '#traceability';
import { Injectable } from '@nestjs/common';
import { type Tally, tally } from '../domain/impact.js';

/** What a recall of a lot reaches. */
export interface Impact extends WalkEnd {
  /** Undefined only for a lot that the projection does not know. */
  readonly root: LotTrace | undefined;
  /** By depth, then token id; containers that merely hold an affected lot included, by their relation. */
  readonly reached: readonly (AffectedLot & { readonly trace: LotTrace })[];
  readonly tally: Tally;
}

/** Walks forward from a lot and adds up what was found. One walk, and a few statements whatever its size. */
@Injectable()
export class AssessImpact {
  constructor(
    private readonly lineage: Lineage,
    private readonly traces: Traces,
    private readonly shapes: LotShapes,
  ) {}

  /** @param skip so many of the affected lots were told before; they take no part in the sums, nor does the root then */
  async assess(tx: TenantTx, root: bigint, bounds: WalkBounds, asOf: AsOf, skip = 0): Promise<Impact> {
    return this.assessed(tx, root, bounds, asOf, skip, (reached) => this.traces.of(tx, [root, ...idsOf(reached)], asOf));
  }

  /** The same with each lot as somebody may read it, all from one reading. */
  async assessShown(
    tx: SnapshotTx,
    actor: Actor,
    root: bigint,
    bounds: WalkBounds,
    asOf: AsOf,
    skip: number,
  ): Promise<{ readonly impact: Impact; readonly shapes: Shapes }> {
    let shapes: Shapes | undefined;
    const impact = await this.assessed(tx, root, bounds, asOf, skip, async (reached, before) => {
      shapes = await this.shapes.of(tx, actor, descentOf(root, reached, before), asOf);
      return shapes.lots;
    });
    return { impact, shapes: shapes! };
  }

  private async assessed(
    tx: TenantTx,
    root: bigint,
    bounds: WalkBounds,
    asOf: AsOf,
    skip: number,
    read: (reached: readonly AffectedLot[], before: readonly AffectedLot[]) => Promise<readonly LotTrace[]>,
  ): Promise<Impact> {
    const { lots, ...end } = await this.lineage.affectedBy(tx, root, { ...bounds, maxNodes: bounds.maxNodes + skip }, asOf);
    const fresh = lots.slice(skip);
    const traces = new Map((await read(fresh, lots.slice(0, skip))).map((trace) => [trace.tokenId, trace]));
    const reached: (AffectedLot & { readonly trace: LotTrace })[] = [];
    for (const { tokenId, relation, depth } of fresh) {
      const trace = traces.get(tokenId);
      if (trace) reached.push({ tokenId, relation, depth, trace });
    }
    const rootTrace = traces.get(root);
    const counted = [...(rootTrace && skip === 0 ? [rootTrace] : []), ...affectedOf(reached).map(({ trace }) => trace)];
    return { ...end, root: rootTrace, reached, tally: tally(counted) };
  }
}

const idsOf = (lots: readonly AffectedLot[]): bigint[] => lots.map(({ tokenId }) => tokenId);

function descentOf(root: bigint, reached: readonly AffectedLot[], before: readonly AffectedLot[]): Descent {
  const affected = (lots: readonly AffectedLot[]): bigint[] => idsOf(lots.filter(({ relation }) => relation !== 'container'));
  const containers = idsOf(reached.filter(({ relation }) => relation === 'container'));
  return { root, descendants: affected(reached), containers, before: affected(before) };
}

/** The affected ones of what was reached: a container that merely holds an affected lot is not. */
export const affectedOf = (reached: Impact['reached']): Impact['reached'] => reached.filter(({ relation }) => relation !== 'container');
