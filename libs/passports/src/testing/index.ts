export { IssueBacklogJob } from '../issuing/issue-backlog.job.js';
export { IssuePassportsJob } from '../issuing/issue-passports.job.js';
export { IssuePassports } from '../issuing/issue-passports.js';
export { PassportsQueries } from '../issuing/passports.queries.js';
export { SettingsQueries } from '../settings/settings.queries.js';
export { EXAMPLE_BATTERY, EXAMPLE_GARMENT } from './packs.js';
