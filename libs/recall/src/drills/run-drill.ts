import { Parties } from '#identity';
import { type Actor, Clock, newId } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { KeyDataElements, Lineage } from '#traceability';
import { Injectable } from '@nestjs/common';
import { lotNotFound, nothingToDraw } from '../errors.js';
import { AssessImpact, WHOLE_REACH, affectedOf } from '../impact/assess-impact.js';
import { type Drill, type DrillReport, judged } from './drill.js';
import { DrillQueries } from './drills.queries.js';

interface DrillAssessment {
  readonly tlc: string;
  readonly findings: Omit<DrillReport, 'parts' | 'elapsedMs'>;
}

/** A report lists this many missing key data elements; their number is complete. */
const LISTED = 500;

/** Traces a lot back and forward, and counts what is missing. */
@Injectable()
export class AssessDrill {
  constructor(
    private readonly impact: AssessImpact,
    private readonly lineage: Lineage,
    private readonly keyData: KeyDataElements,
    private readonly parties: Parties,
  ) {}

  /** @throws DomainError 404 `lot_not_found` */
  async assess(tx: TenantTx, tokenId: bigint): Promise<DrillAssessment> {
    const reach = await this.impact.assess(tx, tokenId, WHOLE_REACH, null);
    if (!reach.root) throw lotNotFound(tokenId);
    const back = await this.lineage.graph(tx, {
      root: tokenId,
      direction: 'ancestors',
      kinds: ['transformation', 'containment', 'split'],
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
      findings: {
        traceBack: { lots: back.nodes.length - 1, depth: back.nodes.at(-1)!.depth, truncated: back.truncated },
        traceForward: { lots: affectedOf(reach.reached).length, depth: reach.reached.at(-1)?.depth ?? 0, truncated: reach.truncated },
        massBalance: { ...total, unmeasuredLots: unmeasured.length },
        kde: { events, complete, missing },
        custodians: { total: reach.tally.affectedActors.length, unreachable },
        estimatedUnits: reach.whole ? reach.tally.estimatedUnits : null,
      },
    };
  }
}

/** `POST /recall/drills`: a mock recall of a lot that is given or drawn. */
@Injectable()
export class RunDrill {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly assessDrill: AssessDrill,
    private readonly drills: DrillQueries,
    private readonly clock: Clock,
  ) {}

  /** @param lot null: one is drawn @param asks whether its holders are to acknowledge it @throws DomainError 404 `lot_not_found`, 409 `nothing_to_draw` */
  async run(actor: Actor, lot: bigint | null, asks = false): Promise<Drill> {
    const startedAt = this.clock.now();
    // All parts of a report are read at the same moment, whatever lands meanwhile; a snapshot only reads.
    const { tokenId, tlc, findings } = await this.unitOfWork.inSnapshot(actor, async (tx) => {
      const drawn = lot ?? (await this.drills.draw(tx, Math.random()));
      if (drawn === null) throw nothingToDraw();
      return { tokenId: drawn, ...(await this.assessDrill.assess(tx, drawn)) };
    });
    const elapsedMs = this.clock.now().getTime() - startedAt.getTime();
    const { score, parts } = judged({ ...findings, elapsedMs });
    const report: DrillReport = { ...findings, elapsedMs, parts };
    const drill = { id: newId(), tokenId, tlc, drawn: lot === null, startedAt, startedBy: actor.id, asks, score, report };
    await this.unitOfWork.inTransaction(actor, (tx) => this.drills.save(tx, drill));
    return drill;
  }
}
