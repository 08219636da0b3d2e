import type { Actor } from '#kernel';
import type { TenantTx } from '#persistence';
import {
  type AffectedLot,
  type AsOf,
  Lineage,
  type LotShape,
  LotShapes,
  type LotTrace,
  type LotWeight,
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
  /** The affected lots that were told before: shares go through them. */
  readonly before: readonly bigint[];
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
    return this.assessed(tx, root, bounds, asOf, skip, (tokenIds) => this.traces.of(tx, tokenIds, asOf));
  }

  /** The same with each lot as somebody may read it. A lot's facts are read once for both. */
  async assessShown(
    tx: TenantTx,
    actor: Actor,
    root: bigint,
    bounds: WalkBounds,
    asOf: AsOf,
    skip: number,
  ): Promise<{ readonly impact: Impact; readonly shapes: ReadonlyMap<bigint, LotShape> }> {
    const shapes = new Map<bigint, LotShape>();
    const impact = await this.assessed(tx, root, bounds, asOf, skip, async (tokenIds) =>
      (await this.shapes.of(tx, actor, tokenIds, asOf)).map(({ trace, shape }) => {
        shapes.set(trace.tokenId, shape);
        return trace;
      }),
    );
    return { impact, shapes };
  }

  private async assessed(
    tx: TenantTx,
    root: bigint,
    bounds: WalkBounds,
    asOf: AsOf,
    skip: number,
    read: (tokenIds: readonly bigint[]) => Promise<readonly LotTrace[]>,
  ): Promise<Impact> {
    const { lots, ...end } = await this.lineage.affectedBy(tx, root, { ...bounds, maxNodes: bounds.maxNodes + skip }, asOf);
    const fresh = lots.slice(skip);
    const traces = new Map((await read([root, ...fresh.map(({ tokenId }) => tokenId)])).map((trace) => [trace.tokenId, trace]));
    const reached = fresh.flatMap((lot) => {
      const trace = traces.get(lot.tokenId);
      return trace ? [{ ...lot, trace }] : [];
    });
    const rootTrace = traces.get(root);
    const counted = [...(rootTrace && skip === 0 ? [rootTrace] : []), ...affectedOf(reached).map(({ trace }) => trace)];
    const before = lots.slice(0, skip).flatMap(({ tokenId, relation }) => (relation === 'container' ? [] : [tokenId]));
    return { ...end, root: rootTrace, reached, tally: tally(counted), before };
  }

  /** Part of the mass of the root that went into each lot, by ways through all lots of the walk. */
  async sharesOf(
    tx: TenantTx,
    root: bigint,
    { before, reached, root: rootTrace }: Impact,
    asOf: AsOf,
  ): Promise<ReadonlyMap<bigint, number | null>> {
    const weights = new Map<bigint, LotWeight>(before.length > 0 ? await this.lineage.weightsOf(tx, before, asOf) : []);
    if (rootTrace) weights.set(root, rootTrace);
    for (const { tokenId, trace } of affectedOf(reached)) weights.set(tokenId, trace);
    return this.lineage.sharesIn(tx, root, weights, asOf);
  }
}

/** The affected ones of what was reached: a container that merely holds an affected lot is not. */
export const affectedOf = (reached: Impact['reached']): Impact['reached'] => reached.filter(({ relation }) => relation !== 'container');
