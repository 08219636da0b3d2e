import type { Config } from '#config';
import { RecallModule } from '#recall';
import { TraceabilityModule } from '#traceability';
import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { AlertStore, EvaluationQueries } from './alerts/evaluations.queries.js';
import { EvaluateAlertsJob } from './alerts/alerts.job.js';
import { EvaluateAlerts, EvaluateSource } from './alerts/evaluate-alerts.js';
import { NarrateAlerts } from './alerts/narrate-alerts.js';
import { Narrator } from './alerts/narrator.client.js';
import { RuleContextQueries } from './alerts/rule-context.queries.js';
import type { SourceName } from './alerts/rules/catalogue.js';
import { ClaimBalanceSource } from './alerts/sources/claims.queries.js';
import { DocumentSource, PointerSource } from './alerts/sources/evidence.queries.js';
import { EventSource, YieldSource } from './alerts/sources/events.queries.js';
import { FootprintSource, LotSource } from './alerts/sources/lots.queries.js';
import { SignatureSource } from './alerts/sources/signatures.queries.js';
import { type AlertSource, AlertSources } from './alerts/sources/source.queries.js';
import { PreparedSource, SubscriptionSource, TransactionSource, TransferSource } from './alerts/sources/operations.queries.js';
import { CachedReports, ProjectFactsJob, RefreshReportJob, RefreshReportsJob, TenantFactsProjector } from './cache/reports.job.js';
import { CheckBatch } from './data-reference/check-pointers.js';
import { CheckPointersJob } from './data-reference/check-pointers.job.js';
import { EventFactQueries } from './event-facts/event-facts.queries.js';
import { StockProjector } from './inventory/stock.projector.js';
import { StockQueries } from './inventory/stock.queries.js';
import { GatherNotices } from './notices/gather-notices.js';
import { GatherRecallRequests } from './notices/gather-recall-requests.js';
import { NoticeLinks } from './notices/notice.settings.js';
import { NoticeMailQueries } from './notices/notice-mails.queries.js';
import { NoticeSourceQueries } from './notices/notice-sources.queries.js';
import { GatherNoticesJob, SendNoticeMailsJob } from './notices/notices.job.js';
import { NoticeQueries } from './notices/notices.queries.js';
import { SendNoticeMails } from './notices/send-notice-mails.js';
import { REPORTS, reportProviders } from './reporting.module.js';
import { ReportingSettings } from './reporting.settings.js';
import type { Report } from './reports/read-report.js';
import { TransferFactQueries } from './event-facts/transfer-facts.queries.js';

/** In the order of evaluation. */
const SOURCES = {
  lot: LotSource,
  // Events before documents: they store which documents expire.
  event: EventSource,
  yields: YieldSource,
  claims: ClaimBalanceSource,
  offer: TransferSource,
  transaction: TransactionSource,
  prepared: PreparedSource,
  document: DocumentSource,
  pointer: PointerSource,
  footprint: FootprintSource,
  subscription: SubscriptionSource,
  signature: SignatureSource,
} as const satisfies Readonly<Record<SourceName, new (...dependencies: never[]) => AlertSource>>;

const alertProviders: readonly Provider[] = [
  ...Object.values(SOURCES),
  {
    provide: AlertSources,
    inject: Object.values(SOURCES),
    useFactory: (...sources: AlertSource[]) =>
      new AlertSources(new Map(Object.keys(SOURCES).map((name, i) => [name as SourceName, sources[i]!]))),
  },
  AlertStore,
  RuleContextQueries,
  EvaluationQueries,
  EvaluateSource,
  EvaluateAlerts,
  NarrateAlerts,
  Narrator,
  EvaluateAlertsJob,
];

const CACHED = REPORTS.map(({ report }) => report).filter(({ key }) => key.cached);

/** What is kept ready for large tenants. */
const cacheProviders: readonly Provider[] = [
  {
    provide: CachedReports,
    inject: CACHED,
    useFactory: (...reports: Report[]) => new CachedReports(CACHED.map(({ key }, i) => [key, reports[i]!])),
  },
  EventFactQueries,
  TransferFactQueries,
  StockQueries,
  StockProjector,
  TenantFactsProjector,
  ProjectFactsJob,
  RefreshReportsJob,
  RefreshReportJob,
];

/** What finds notices, and sends mails with them. */
const noticeProviders: readonly Provider[] = [
  NoticeQueries,
  NoticeSourceQueries,
  NoticeMailQueries,
  GatherRecallRequests,
  GatherNotices,
  GatherNoticesJob,
  SendNoticeMails,
  SendNoticeMailsJob,
];

/** The worker's side: evaluates alerts, checks pointers, and keeps the reports of large tenants ready. Any number of processes may run it. */
@Module({})
export class ReportingWorkerModule {
  static forRoot(config: Pick<Config, 'reports' | 'content' | 'http' | 'secrets'>): DynamicModule {
    return {
      module: ReportingWorkerModule,
      imports: [TraceabilityModule, RecallModule],
      providers: [
        { provide: ReportingSettings, useValue: new ReportingSettings(config) },
        ...reportProviders,
        ...alertProviders,
        ...cacheProviders,
        { provide: NoticeLinks, useValue: new NoticeLinks(config) },
        ...noticeProviders,
        CheckBatch,
        CheckPointersJob,
      ],
    };
  }
}
