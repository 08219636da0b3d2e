import { ChainHead } from '#chain';
import { Parties } from '#identity';
import { type Actor, Clock } from '#kernel';
import { UnitOfWork } from '#persistence';
import { scopePatterns } from '#traceability';
import { Injectable } from '@nestjs/common';
import { readsAll, whoseFigures } from '../domain/whose-figures.js';
import type { Report, Reported, Scope } from '../ports.js';

/** What a caller asks of a report; of which time and which page. */
export interface ReportRequest extends Pick<Scope, 'from' | 'to' | 'limit' | 'after' | 'parameters'> {
  readonly orgId?: string | undefined;
}

/** One processor is enough for a report, however large: the others are for the requests beside it. Its sorts may take some memory. */
const MODEST = "set local max_parallel_workers_per_gather = 0; set local work_mem = '64MB'";

@Injectable()
export class RunReport {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly parties: Parties,
    private readonly chainHead: ChainHead,
    private readonly clock: Clock,
  ) {}

  /**
   * All of its reads see the same moment.
   * @throws DomainError 403 `own_organisation_only`, 404 `organisation_not_found`
   */
  async run(report: Report, actor: Actor, request: ReportRequest): Promise<Reported> {
    const orgId = whoseFigures(actor, request.orgId);
    if (request.after === null) await report.before(actor, orgId, request.parameters);
    return this.unitOfWork.inSnapshot(actor, async (tx) => {
      await tx.sql(MODEST);
      const generatedAt = this.clock.now();
      const organisation = orgId === null ? null : { orgId, wallets: await this.parties.walletsOf(tx, orgId) };
      const { from, to, limit, after, parameters } = request;
      const scope: Scope = {
        from,
        to,
        organisation,
        readsAll: readsAll(actor),
        processes: scopePatterns(actor),
        limit,
        after,
        parameters,
        now: generatedAt,
      };
      return { asOf: await this.chainHead.position(tx), ...(await report.run(tx, scope)), generatedAt, orgId };
    });
  }
}
