export { REPORTS } from '../reporting.module.js';
export { CachedReports, RefreshReportJob } from '../cache/reports.job.js';
export { FindAnswer, StoreAnswer } from '../reports/read-report.js';
export { GetReport } from '../reports/get-report.js';
export type { ReadReport, Report, ReportRequest } from '../reports/read-report.js';
export { RequestRefresh, refreshReportTopic } from '../reports/request-refresh.js';
export { ReportCache } from '../reports/report-cache.queries.js';
export type { ReportResult } from '../reports/report.js';
export { factsProjector, writeEventFacts } from './facts.js';
