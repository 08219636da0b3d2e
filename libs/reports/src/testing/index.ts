export { SqlEventFacts } from '../adapters/persistence/sql-event-facts.js';
export { SqlKeptAnswers } from '../adapters/persistence/sql-kept-answers.js';
export { REPORTS } from '../adapters/reports/index.js';
export { AskReport } from '../application/ask-report.js';
export { FollowEvents } from '../application/follow-events.js';
export type { ReportRequest, RunReport } from '../application/run-report.js';
export type { About, Report, Reported } from '../ports.js';
