export { SqlAlertBook } from '../adapters/persistence/sql-alert-book.js';
export { SqlKeptAnswers } from '../adapters/persistence/sql-kept-answers.js';
export { REPORTS } from '../adapters/reports/index.js';
export { AskReport } from '../application/ask-report.js';
export type { ReportRequest, RunReport } from '../application/run-report.js';
export type { About, Report, Reported } from '../ports.js';
export { followerOf, refreshEvents } from './follower.js';
