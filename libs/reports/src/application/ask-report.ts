import { hash } from 'node:crypto';
import { ChainHead } from '#chain';
import { type Actor, Clock } from '#kernel';
import { UnitOfWork } from '#persistence';
import { scopePatterns } from '#traceability';
import { Injectable, Logger } from '@nestjs/common';
import { readsAll, whoseFigures } from '../domain/whose-figures.js';
import { type About, KeptAnswers, type Report, type Reported } from '../ports.js';
import { type ReportRequest, RunReport } from './run-report.js';

/** A tenant with fewer lots is read anew every time: that takes no longer than looking for a kept answer. */
export const KEEP_FROM_LOTS = 20_000;
/** A part of a table with more rows is not kept: the next one is as of another moment. */
const MOST_KEPT_ROWS = 1000;
/** Blocks come all the time, and a report of a large tenant takes seconds. */
const REST_MS = 30_000;
/** Labels, sites and dates change without a block. */
const FRESH_FOR_MS = 300_000;
/** Older ones are not given any more. */
const GIVEN_FOR_MS = 86_400_000;

/**
 * Asks a report. What reads the whole of a large tenant is kept (`About.kept`): the answer is given again at once, says as of which block
 * it is, and is computed anew behind it when the chain has gone on.
 */
@Injectable()
export class AskReport {
  private readonly logger = new Logger(AskReport.name);
  private readonly underWay = new Map<string, Promise<Reported>>();

  constructor(
    private readonly runReport: RunReport,
    private readonly unitOfWork: UnitOfWork,
    private readonly chainHead: ChainHead,
    private readonly kept: KeptAnswers,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError 403 `own_organisation_only`, 404 `organisation_not_found` */
  async ask(about: About, report: Report, actor: Actor, request: ReportRequest): Promise<Reported> {
    const known = about.kept && request.limit <= MOST_KEPT_ROWS ? await this.look(about, actor, request) : null;
    if (!known) return this.runReport.run(report, actor, request);
    const compute = (): Promise<Reported> => this.compute(about, report, actor, request, known.question);
    // Looked for once more: it may have been computed since.
    const first = async (): Promise<Reported> => (await this.look(about, actor, request))?.found ?? compute();
    if (!known.found) return this.once(actor, known.question, first);
    if (known.outdated) void this.refresh(actor, known.question, known.found.generatedAt, compute);
    return known.found;
  }

  /** So that whoever asks next is answered at once: what `ask` would do behind its answer, waited for. */
  async keepReady(about: About, report: Report, actor: Actor, request: ReportRequest): Promise<void> {
    const known = about.kept ? await this.look(about, actor, request) : null;
    if (!known || (known.found && !known.outdated)) return;
    const compute = (): Promise<Reported> => this.compute(about, report, actor, request, known.question);
    if (known.found) await this.refresh(actor, known.question, known.found.generatedAt, compute);
    else await this.once(actor, known.question, compute);
  }

  /** What is kept of a question; null in a tenant where nothing is kept. */
  private async look(about: About, actor: Actor, request: ReportRequest) {
    const question = questionOf(about, actor, request);
    return this.unitOfWork.inSnapshot(actor, async (tx) => {
      if ((await this.kept.lots(tx)) < KEEP_FROM_LOTS) return null;
      const found = await this.kept.find(tx, question);
      if (!found) return { question, found, outdated: true };
      const age = this.clock.now().getTime() - found.generatedAt.getTime();
      if (age > GIVEN_FOR_MS) return { question, found: null, outdated: true };
      const { head } = await this.chainHead.position(tx);
      return { question, found, outdated: age > FRESH_FOR_MS || (age > REST_MS && found.asOf.head !== head) };
    });
  }

  /** By one process: a failure is told, and the kept answer goes on being given. */
  private async refresh(actor: Actor, question: string, seen: Date, compute: () => Promise<Reported>): Promise<void> {
    try {
      const now = this.clock.now();
      const mine = await this.unitOfWork.inTransaction(actor, (tx) => this.kept.claim(tx, question, seen, now));
      if (mine) await this.once(actor, question, compute);
    } catch (error) {
      this.logger.warn(`a kept answer could not be computed anew: ${String(error)}`);
    }
  }

  private async compute(about: About, report: Report, actor: Actor, request: ReportRequest, question: string): Promise<Reported> {
    const reported = await this.runReport.run(report, actor, request);
    await this.unitOfWork.inTransaction(actor, (tx) => this.kept.keep(tx, question, about.name, reported));
    return reported;
  }

  /** Whoever asks the same while it is computed waits for the one answer. */
  private once(actor: Actor, question: string, compute: () => Promise<Reported>): Promise<Reported> {
    const key = `${actor.tenantId}/${question}`;
    const running = this.underWay.get(key) ?? compute().finally(() => this.underWay.delete(key));
    this.underWay.set(key, running);
    return running;
  }
}

/** Everything that an answer depends on, but for the facts and the time. */
function questionOf({ name }: About, actor: Actor, { from, to, orgId, limit, after, parameters }: ReportRequest): string {
  const asked = [name, from, to, whoseFigures(actor, orgId), readsAll(actor), scopePatterns(actor), limit, after, parameters];
  return hash('sha256', JSON.stringify(asked));
}
