import { type Actor, reportOf } from '#kernel';
import { Injectable, Logger } from '@nestjs/common';
import { FindAnswer, ReadReport, type Report, type ReportKey, type ReportRequest, StoreAnswer } from './read-report.js';
import { ReadReportText } from './read-report-text.js';
import type { ReportResult } from './report.js';
import { RequestRefresh } from './request-refresh.js';

/** Larger pages are not cached. */
const MAX_CACHED_ROWS = 1000;

/**
 * Reports that read a whole tenant are cached for large tenants (`ReportKey.cached`, ADR 0015): the cached answer is returned at once
 * with its block, and a worker computes a newer one when the chain has moved on (`reports.job.ts`).
 */
@Injectable()
export class GetReport {
  private readonly logger = new Logger(GetReport.name);
  private readonly running = new Map<string, Promise<ReportResult>>();

  constructor(
    private readonly readReport: ReadReport,
    private readonly findAnswer: FindAnswer,
    private readonly storeAnswer: StoreAnswer,
    private readonly requestRefresh: RequestRefresh,
    readonly text: ReadReportText,
  ) {}

  /** @throws DomainError 403 `own_organisation_only`, 404 `organisation_not_found` */
  async get(key: ReportKey, report: Report, actor: Actor, request: ReportRequest): Promise<ReportResult> {
    const entry = key.cached && request.limit <= MAX_CACHED_ROWS ? await this.findAnswer.find(key, actor, request) : null;
    if (!entry) return this.readReport.read(report, actor, request);
    const { question, cached, outdated } = entry;
    if (cached && outdated)
      this.requestRefresh
        .request(key, actor, request)
        .catch((error: unknown) => this.logger.warn(`a cached report is not refreshed: ${reportOf(error)}`));
    if (cached) return cached;
    return this.once(`${actor.tenantId}/${question}`, async () => {
      // Another process may have computed it since: look again.
      const found = await this.findAnswer.find(key, actor, request);
      return found?.cached ?? this.storeAnswer.compute(question, key, report, actor, request);
    });
  }

  /** Concurrent callers with the same question wait for one computation. */
  private once(question: string, compute: () => Promise<ReportResult>): Promise<ReportResult> {
    const running = this.running.get(question) ?? compute().finally(() => this.running.delete(question));
    this.running.set(question, running);
    return running;
  }
}
