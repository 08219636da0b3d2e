import type { TenantTx } from '#persistence';
import { type AffectedLot, type AsOf, Lineage, type LotTrace, Traces, type WalkBounds, type WalkEnd } from '#traceability';
import { Injectable } from '@nestjs/common';
import { type Tally, tally } from '../domain/impact.js';

/** What a recall of a lot reaches. */
export interface Impact extends WalkEnd {
  /** Undefined only for a lot that the projection does not know. */
  readonly root: LotTrace | undefined;
  /** By depth, then token id; containers that merely hold an affected lot included, by their relation. */
  readonly reached: readonly (AffectedLot & { readonly trace: LotTrace })[];
  readonly tally: Tally;
  /** All affected lots of the walk, those told before included: shares go through them. */
  readonly walked: readonly bigint[];
}

/** Walks forward from a lot and adds up what was found. One walk, and a few statements whatever its size. */
@Injectable()
export class AssessImpact {
  constructor(
    private readonly lineage: Lineage,
    private readonly traces: Traces,
  ) {}

  /** @param skip so many of the affected lots were told before; they take no part in the sums, nor does the root then */
  async assess(tx: TenantTx, root: bigint, bounds: WalkBounds, asOf: AsOf, skip = 0): Promise<Impact> {
    const { lots, ...end } = await this.lineage.affectedBy(tx, root, { ...bounds, maxNodes: bounds.maxNodes + skip }, asOf);
    const fresh = lots.slice(skip);
    const traces = new Map(
      (await this.traces.of(tx, [root, ...fresh.map(({ tokenId }) => tokenId)], asOf)).map((trace) => [trace.tokenId, trace]),
    );
    const reached = fresh.flatMap((lot) => {
      const trace = traces.get(lot.tokenId);
      return trace ? [{ ...lot, trace }] : [];
    });
    const rootTrace = traces.get(root);
    const counted = [...(rootTrace && skip === 0 ? [rootTrace] : []), ...affectedOf(reached).map(({ trace }) => trace)];
    const walked = lots.flatMap(({ tokenId, relation }) => (relation === 'container' ? [] : [tokenId]));
    return { ...end, root: rootTrace, reached, tally: tally(counted), walked };
  }
}

/** The affected ones of what was reached: a container that merely holds an affected lot is not. */
export const affectedOf = (reached: Impact['reached']): Impact['reached'] => reached.filter(({ relation }) => relation !== 'container');
