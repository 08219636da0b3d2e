import { BooleanField, EnumField, IntegerField, ObjectField, ObjectListField, StringField } from '#http';
import type { About } from '../../ports.js';

export const MAX_ROWS = 1000;
export const DEFAULT_ROWS = 100;
/** Of a report that reads the whole of a tenant for each answer: so many rows of a table at a time, which is all in nearly every tenant. */
export const ROWS_OF_A_PASS = 10_000;

/** What every report is asked with. */
export class ReportQuery {
  @StringField({ description: 'From this time on (ISO 8601 with an offset, or a date, from midnight UTC)', optional: true, maxLength: 40 })
  from?: string;

  @StringField({ description: 'Up to this time, itself excluded', optional: true, maxLength: 40 })
  to?: string;

  @StringField({ description: 'Of one organisation; its administrator reads no other', optional: true, maxLength: 64 })
  orgId?: string;

  @IntegerField({
    description: `Rows in one answer. \`format=csv\` without it gives every row`,
    min: 1,
    max: MAX_ROWS,
    optional: true,
    default: DEFAULT_ROWS,
  })
  limit?: number;

  @StringField({ description: '`nextCursor` of the answer before', optional: true, maxLength: 2000 })
  cursor?: string;

  @EnumField(['json', 'csv'], { description: 'CSV is RFC 4180, UTF-8 with a byte order mark', optional: true, default: 'json' })
  format?: 'json' | 'csv';
}

class PeriodView {
  @StringField({ description: 'Included; null = from the beginning', format: 'date-time', nullable: true })
  from: string | null;

  @StringField({ description: 'Excluded; null = open', format: 'date-time', nullable: true })
  to: string | null;
}

class ReportAsOfView {
  @IntegerField({ description: 'Last block whose facts are in it' })
  blockNumber: number;

  @IntegerField({ description: 'Last block that cannot be undone any more; null before there is one', nullable: true })
  finalBlockNumber: number | null;
}

/** domain-decisions §6: what stands around every report. */
export class ReportView {
  @StringField({ description: 'Its name' })
  report: string;

  @IntegerField({ description: 'Of the format', example: 1 })
  version: 1;

  @StringField({ description: 'Slug' })
  tenantId: string;

  @StringField({ description: 'When it was computed', format: 'date-time' })
  generatedAt: string;

  @ObjectField(() => ReportAsOfView, { description: 'What the figures stand on' })
  asOf: ReportAsOfView;

  @ObjectField(() => PeriodView, { description: 'Of which time' })
  period: PeriodView;

  @StringField({ description: 'Of which organisation; null = all', nullable: true })
  orgId: string | null;

  @IntegerField({ description: 'Rows in one answer' })
  limit: number;

  @IntegerField({ description: 'Rows in all; null where they are not counted', nullable: true })
  total: number | null;

  @BooleanField({ description: 'There are more rows than these: go on with `nextCursor`' })
  truncated: boolean;

  @StringField({ description: 'For the next rows; null after the last', nullable: true })
  nextCursor: string | null;
}

/** The query of one report: its own parameters beside those of all. */
export function queryOf(about: About): new () => ReportQuery {
  const Query = class extends ReportQuery {};
  for (const { name, description, maxLength } of about.parameters)
    StringField({ description, maxLength, optional: true })(Query.prototype, name);
  return named(Query, `${pascal(about.name)}ReportQuery`);
}

export function viewOf(about: About): new () => ReportView {
  const View = class extends ReportView {};
  ObjectField(about.summaryView, { description: 'Over all rows, shown or not' })(View.prototype, 'summary');
  ObjectListField(about.rowView, { description: 'The rows' })(View.prototype, about.rows);
  for (const [name, view] of Object.entries(about.beside ?? {}))
    ObjectListField(view, { description: 'Beside the rows' })(View.prototype, name);
  for (const [name, view] of Object.entries(about.alone ?? {})) ObjectField(view, { description: 'Beside the rows' })(View.prototype, name);
  return named(View, `${pascal(about.name)}ReportView`);
}

const pascal = (name: string): string => name.replaceAll(/(^|-)(\w)/g, (_, _dash, letter: string) => letter.toUpperCase());
/** The document tells classes apart by their names. */
const named = <T extends object>(type: T, name: string): T => Object.defineProperty(type, 'name', { value: name });
