import { TraceabilityModule } from '#traceability';
import type { Config } from '#config';
import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { AcknowledgeAlert } from './alerts/acknowledge-alert.js';
import { AlertLimitQueries } from './alerts/rule-context.queries.js';
import { AlertsController } from './alerts/alerts.controller.js';
import { AlertQueries } from './alerts/alerts.queries.js';
import { alertsReport } from './alerts/alerts.report.js';
import { ChangeAlertLimits } from './alerts/change-alert-limits.js';
import { ChainEvidence, StoredContents } from './data-reference/evidence.client.js';
import { CheckPointers } from './data-reference/check-pointers.js';
import { dataReferenceReport } from './data-reference/data-reference.report.js';
import { PointerQueries } from './data-reference/pointers.queries.js';
import { PointingRecordQueries } from './data-reference/pointing-records.queries.js';
import { DocumentQueries } from './documents/documents.queries.js';
import { documentsReport } from './documents/documents.report.js';
import { Fsma204Queries } from './fsma204/fsma204.queries.js';
import { SheetProcessQueries } from './fsma204/sheet-processes.queries.js';
import { fsma204Report } from './fsma204/fsma204.report.js';
import { InventoryQueries } from './inventory/inventory.queries.js';
import { inventoryReport } from './inventory/inventory.report.js';
import { ChangeNotices } from './notices/change-notices.js';
import { NoticeLinks } from './notices/notice.settings.js';
import { NoticesController, UnsubscribeController } from './notices/notices.controller.js';
import { NoticeQueries } from './notices/notices.queries.js';
import { PlacesQueries } from './places/places.queries.js';
import { placesReport } from './places/places.report.js';
import { FindAnswer, ReadReport, StoreAnswer } from './reports/read-report.js';
import { GetReport } from './reports/get-report.js';
import { ReportCache } from './reports/report-cache.queries.js';
import { type ReportDefinition, reportControllers } from './reports/report.controller.js';
import { ReadReportText } from './reports/read-report-text.js';
import { RequestRefresh } from './reports/request-refresh.js';
import { SearchController } from './search/search.controller.js';
import { SearchQueries } from './search/search.queries.js';
import { SponsorshipReportQueries } from './sponsorship/sponsorship.queries.js';
import { sponsorshipReport } from './sponsorship/sponsorship.report.js';
import { SupplierQueries } from './suppliers/suppliers.queries.js';
import { suppliersReport } from './suppliers/suppliers.report.js';
import { TrendsQueries } from './trends/trends.queries.js';
import { trendsReport } from './trends/trends.report.js';
import { YieldQueries } from './yield/yield.queries.js';
import { yieldReport } from './yield/yield.report.js';

/** Every report. */
export const REPORTS: readonly ReportDefinition[] = [
  alertsReport,
  dataReferenceReport,
  documentsReport,
  fsma204Report,
  inventoryReport,
  placesReport,
  sponsorshipReport,
  suppliersReport,
  trendsReport,
  yieldReport,
];

/** To read reports; the worker does so too. */
export const reportProviders: readonly Provider[] = [
  ReadReport,
  FindAnswer,
  StoreAnswer,
  RequestRefresh,
  ReportCache,
  ...REPORTS.map(({ report }) => report),
  AlertQueries,
  AlertLimitQueries,
  CheckPointers,
  PointerQueries,
  PointingRecordQueries,
  StoredContents,
  ChainEvidence,
  DocumentQueries,
  Fsma204Queries,
  SheetProcessQueries,
  InventoryQueries,
  PlacesQueries,
  SponsorshipReportQueries,
  SupplierQueries,
  TrendsQueries,
  YieldQueries,
];

@Module({})
export class ReportingModule {
  static forRoot(config: Pick<Config, 'http' | 'secrets'>): DynamicModule {
    return {
      module: ReportingModule,
      imports: [TraceabilityModule],
      controllers: [AlertsController, NoticesController, UnsubscribeController, SearchController, ...REPORTS.flatMap(reportControllers)],
      providers: [
        ...reportProviders,
        ...[GetReport, ReadReportText, AcknowledgeAlert, ChangeAlertLimits, NoticeQueries, ChangeNotices, SearchQueries],
        { provide: NoticeLinks, useValue: new NoticeLinks(config) },
      ],
    };
  }
}
