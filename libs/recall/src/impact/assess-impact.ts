import { Parties, type PartyLabel } from '#identity';
import type { Actor } from '#kernel';
import type { SnapshotTx, TenantTx } from '#persistence';
import {
  type Affected,
  type AffectedNode,
  type AsOf,
  type Descent,
  Lineage,
  RecalledLots,
  type Traceback,
  type DescentAnswer,
  Tracebacks,
  type WalkBounds,
  type WalkEnd,
} from '#traceability';
import { Injectable } from '@nestjs/common';
import { type Tally, tally } from './impact.rules.js';

/** The widest walk (docs/spec/api.md#lots-custody-recall): all that a recall reaches must be known. */
export const WHOLE_REACH = { maxDepth: 200, maxNodes: 20_000 };

/** What a recall of a lot reaches. */
export interface Impact extends WalkEnd {
  /** Undefined only for an unknown lot. */
  readonly root: Traceback | undefined;
  /** By depth, then token id; includes containers that only hold an affected lot; their relation says so. */
  readonly reached: readonly (AffectedNode & { readonly lot: Traceback })[];
  readonly tally: Tally;
  /** Everything that the recall reaches is in the sums: nothing was cut, and nothing was on an earlier page. */
  readonly whole: boolean;
}

/** An impact with what an answer shows of its lots and actors. */
interface ShownImpact {
  readonly impact: Impact;
  readonly shapes: DescentAnswer;
  readonly labels: ReadonlyMap<string, PartyLabel>;
}

/** Lots of a long walk that are read while it continues: it finds that many in a fifth of the time it takes for ten thousand. */
const AHEAD = 2000;

/** Walks forward from a lot and sums up what it finds: one walk, and a fixed number of statements. */
@Injectable()
export class AssessImpact {
  constructor(
    private readonly lineage: Lineage,
    private readonly tracebacks: Tracebacks,
    private readonly shapes: RecalledLots,
    private readonly parties: Parties,
  ) {}

  /** Everything within the bounds, from the root on. */
  async assess(tx: TenantTx, root: bigint, bounds: WalkBounds, asOf: AsOf): Promise<Impact> {
    const affected = await this.lineage.affectedBy(tx, root, bounds, asOf);
    const lots = await this.tracebacks.of(tx, [root, ...idsOf(affected.lots)], asOf);
    return impactOf(root, affected, 0, new Map(lots.map((lot) => [lot.tokenId, lot])));
  }

  /**
   * The same with each lot as the caller may read it, and who the actors are.
   * `skip`: affected lots of earlier pages; they and the root are not part of the sums then.
   */
  async assessShown(
    tx: SnapshotTx,
    actor: Actor,
    root: bigint,
    { asOf, skip, ...bounds }: WalkBounds & { readonly asOf: AsOf; readonly skip: number },
  ): Promise<ShownImpact> {
    let affected: Affected | undefined;
    const nearest = { ...bounds, maxNodes: AHEAD };
    const shapes = await this.shapes.of(
      tx,
      actor,
      {
        lots: async () => {
          affected = await this.lineage.affectedBy(tx, root, { ...bounds, maxNodes: bounds.maxNodes + skip }, asOf);
          return descentOf(root, affected.lots.slice(skip), affected.lots.slice(0, skip));
        },
        likely: skip > 0 || bounds.maxNodes <= AHEAD ? null : (aside) => this.lineage.nearestAffected(aside, root, nearest, asOf),
      },
      asOf,
    );
    const impact = impactOf(root, affected!, skip, shapes.lots);
    return { impact, shapes, labels: await this.parties.labels(tx, impact.root ? impact.tally.affectedActors : []) };
  }
}

function impactOf(root: bigint, { lots, ...end }: Affected, skip: number, known: ReadonlyMap<bigint, Traceback>): Impact {
  const reached: (AffectedNode & { readonly lot: Traceback })[] = [];
  for (const { tokenId, relation, depth } of lots.slice(skip)) {
    const lot = known.get(tokenId);
    if (lot) reached.push({ tokenId, relation, depth, lot });
  }
  const rootLot = known.get(root);
  const counted = [...(rootLot && skip === 0 ? [rootLot] : []), ...affectedOf(reached).map(({ lot }) => lot)];
  return { ...end, root: rootLot, reached, tally: tally(counted), whole: skip === 0 && !end.truncated };
}

const idsOf = (lots: readonly AffectedNode[]): bigint[] => lots.map(({ tokenId }) => tokenId);

function descentOf(root: bigint, reached: readonly AffectedNode[], before: readonly AffectedNode[]): Descent {
  const affected = (lots: readonly AffectedNode[]): bigint[] => idsOf(lots.filter(({ relation }) => relation !== 'container'));
  const containers = idsOf(reached.filter(({ relation }) => relation === 'container'));
  return { root, descendants: affected(reached), containers, before: affected(before) };
}

/** The affected ones of what was reached: a container that only holds an affected lot is not. */
export const affectedOf = (reached: Impact['reached']): Impact['reached'] => reached.filter(({ relation }) => relation !== 'container');
