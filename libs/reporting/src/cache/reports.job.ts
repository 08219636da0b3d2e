import { ChainHead } from '#chain';
import type { Actor } from '#kernel';
import { UnitOfWork } from '#persistence';
import { PeriodicJob, QueuedJob, forEachTenant } from '#queue';
import { Injectable } from '@nestjs/common';
import { EventFactQueries } from '../event-facts/event-facts.queries.js';
import { FactsProjector } from '../event-facts/facts.projector.js';
import { StockProjector } from '../inventory/stock.projector.js';
import { ReportingSettings } from '../reporting.settings.js';
import { FindAnswer, LARGE_TENANT_LOTS, type Report, type ReportKey, StoreAnswer } from '../reports/read-report.js';
import { type LargeTenant, ReportCache } from '../reports/report-cache.queries.js';
import { RequestRefresh, type RefreshedQuestion, refreshReportTopic } from '../reports/request-refresh.js';
import { TransferFactQueries } from '../event-facts/transfer-facts.queries.js';

/** Everything that is kept for the reports of large tenants (ADR 0015). Events come first: they state where lots are. */
@Injectable()
export class TenantFactsProjector {
  private readonly events: FactsProjector;
  private readonly transfers: FactsProjector;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly chainHead: ChainHead,
    events: EventFactQueries,
    transfers: TransferFactQueries,
    private readonly stock: StockProjector,
  ) {
    this.events = new FactsProjector(unitOfWork, chainHead, events);
    this.transfers = new FactsProjector(unitOfWork, chainHead, transfers);
  }

  /** Until nothing is left. */
  async project(tenantId: string, stop = new AbortController().signal): Promise<void> {
    // During a reindex lots are missing: they would leave the stock, and nothing would bring them back.
    if (await this.unitOfWork.readAsSystem((tx) => this.chainHead.isRebuilding(tx))) return;
    await this.events.project(tenantId, stop, (tx, ids) => this.stock.eventsChanged(tx, ids));
    await this.transfers.project(tenantId, stop);
    await this.stock.project(tenantId, stop);
  }
}

/** Large tenants, one after the other. Any number of processes share them. */
@Injectable()
export class ProjectFactsJob extends PeriodicJob {
  readonly name = 'reporting.project-facts';
  readonly everyMs: number;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly cache: ReportCache,
    private readonly projector: TenantFactsProjector,
    settings: ReportingSettings,
  ) {
    super();
    this.everyMs = settings.followEveryMs;
  }

  override async run(signal: AbortSignal): Promise<void> {
    const large = await this.unitOfWork.readAsSystem((tx) => this.cache.largeTenants(tx, LARGE_TENANT_LOTS));
    await forEachTenant(large, signal, ({ tenantId }) => this.projector.project(tenantId, signal));
  }
}

/** The cached reports. */
export class CachedReports {
  constructor(readonly all: readonly (readonly [ReportKey, Report])[]) {}
}

/** Computes a newer answer to one question. Until it is kept, readers get the one before. */
@Injectable()
export class RefreshReportJob extends QueuedJob<RefreshedQuestion> {
  readonly topic = refreshReportTopic;
  /** A report keeps one processor of the database busy. */
  override readonly concurrency = 2;

  constructor(
    private readonly reports: CachedReports,
    private readonly findAnswer: FindAnswer,
    private readonly storeAnswer: StoreAnswer,
  ) {
    super();
  }

  override async run({ report: name, actor, request: { from, to, ...rest } }: RefreshedQuestion): Promise<void> {
    const found = this.reports.all.find(([key]) => key.name === name);
    if (!found) throw new Error(`no cached report is named ${name}`);
    const [key, report] = found;
    const request = { ...rest, from: from === null ? null : new Date(from), to: to === null ? null : new Date(to) };
    const entry = await this.findAnswer.find(key, actor, request);
    // A job that is repeated finds its own answer; a tenant can become small when its chain is read again.
    if (!entry?.outdated) return;
    await this.storeAnswer.compute(entry.question, key, report, actor, request);
  }
}

/** The request without parameters: the whole tenant, the first page. */
const DEFAULT_REQUEST = { from: null, to: null, limit: 100, after: null, parameters: {} };

/** Requests the default question of each cached report in every large tenant, before somebody asks. */
@Injectable()
export class RefreshReportsJob extends PeriodicJob {
  readonly name = 'reporting.refresh-reports';
  readonly everyMs: number;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly cache: ReportCache,
    private readonly requestRefresh: RequestRefresh,
    private readonly reports: CachedReports,
    settings: ReportingSettings,
  ) {
    super();
    this.everyMs = settings.readyEveryMs;
  }

  override async run(signal: AbortSignal): Promise<void> {
    const large = await this.unitOfWork.readAsSystem((tx) => this.cache.largeTenants(tx, LARGE_TENANT_LOTS));
    await forEachTenant(large, signal, async (tenant) => {
      for (const [key] of this.reports.all) await this.requestRefresh.request(key, readerOf(tenant), DEFAULT_REQUEST);
    });
  }
}

/** All callers that read every organisation share one cached answer. */
const readerOf = ({ tenantId, slug }: LargeTenant): Actor => ({
  kind: 'api_key',
  id: 'reports',
  tenantId,
  tenantSlug: slug,
  roles: ['AUDITOR'],
  roleScopes: {},
  orgId: null,
  wallet: null,
  wallets: [],
});
