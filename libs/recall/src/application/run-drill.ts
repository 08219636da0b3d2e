import { Parties } from '#identity';
import { type Actor, Clock, newId } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { KeyData, Lineage } from '#traceability';
import { Injectable } from '@nestjs/common';
import { type Drill, type DrillReport, judged } from '../domain/drill.js';
import { lotNotFound, nothingToDraw } from '../domain/errors.js';
import { WHOLE_REACH } from '../domain/recall-order.js';
import { Drills } from '../ports.js';
import { AssessImpact, affectedOf } from './assess-impact.js';

/** Missing key data elements that a report lists; their number is told whole. */
const LISTED = 500;

/** `POST /recall/drills`: a mock recall on a lot that is given or drawn. */
@Injectable()
export class RunDrill {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly impact: AssessImpact,
    private readonly lineage: Lineage,
    private readonly keyData: KeyData,
    private readonly parties: Parties,
    private readonly drills: Drills,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError 404 `lot_not_found`, 409 `nothing_to_draw` */
  async run(actor: Actor, asked: bigint | null): Promise<Drill> {
    const startedAt = this.clock.now();
    // All parts of a report are of one moment, whatever lands meanwhile; a snapshot only reads.
    const { tokenId, tlc, found } = await this.unitOfWork.inSnapshot(actor, async (tx) => {
      const drawn = asked ?? (await this.drills.draw(tx, Math.random()));
      if (drawn === null) throw nothingToDraw();
      return { tokenId: drawn, ...(await this.trace(tx, drawn)) };
    });
    const elapsedMs = this.clock.now().getTime() - startedAt.getTime();
    const { score, parts } = judged({ ...found, elapsedMs });
    const report: DrillReport = { ...found, elapsedMs, parts };
    const drill = { id: newId(), tokenId, tlc, drawn: asked === null, startedAt, startedBy: actor.id, score, report };
    await this.unitOfWork.inTransaction(actor, (tx) => this.drills.save(tx, drill));
    return drill;
  }

  private async trace(
    tx: TenantTx,
    tokenId: bigint,
  ): Promise<{ readonly tlc: string; readonly found: Omit<DrillReport, 'parts' | 'elapsedMs'> }> {
    const reach = await this.impact.assess(tx, tokenId, WHOLE_REACH, null);
    if (!reach.root) throw lotNotFound(tokenId);
    const back = await this.lineage.graph(tx, {
      root: tokenId,
      direction: 'ancestors',
      kinds: ['transformation', 'containment'],
      bounds: WHOLE_REACH,
      asOf: null,
      skip: 0,
    });
    const traced = [...new Set([...back.nodes.map((node) => node.tokenId), ...reach.reached.map((lot) => lot.tokenId)])];
    const { events, complete, missing } = await this.keyData.ofLots(tx, traced, LISTED);
    const labels = await this.parties.labels(tx, reach.tally.affectedActors);
    const unreachable = reach.tally.affectedActors.filter((address) => labels.get(address)!.kind === 'address');
    const { total, unmeasured } = reach.tally.reconciliation;
    return {
      tlc: reach.root.tlc,
      found: {
        traceBack: { lots: back.nodes.length - 1, depth: back.nodes.at(-1)!.depth, truncated: back.truncated },
        traceForward: { lots: affectedOf(reach.reached).length, depth: reach.reached.at(-1)?.depth ?? 0, truncated: reach.truncated },
        massBalance: { ...total, unmeasuredLots: unmeasured.length },
        kde: { events, complete, missing },
        custodians: { total: reach.tally.affectedActors.length, unreachable },
        estimatedUnits: reach.tally.estimatedUnits,
      },
    };
  }
}
