import { BooleanField, EnumField, IntegerField, ObjectField, ObjectListField, StringField } from '#http';
import { TABLE_FORMATS, type TableFormat } from '#spreadsheets';

export const MAX_ROWS = 1000;
export const DEFAULT_ROWS = 100;

/** A parameter beyond those of `ReportQuery`, which every report has. */
interface Parameter {
  readonly name: string;
  readonly description: string;
  readonly maxLength: number;
  /** Allowed values; absent = any text. */
  readonly values?: readonly string[];
}

type View = new () => object;

/** Request and response shapes of one report. */
export interface ReportDto {
  readonly parameters: readonly Parameter[];
  /** Member of the JSON response that has the rows. */
  readonly rows: string;
  readonly rowView: View;
  readonly summaryView: View;
  /** Further members of the response that are lists. */
  readonly lists?: Readonly<Record<string, View>>;
  /** Further members of the response that are one object each. */
  readonly objects?: Readonly<Record<string, View>>;
}

/** Parameters of every report. */
export class ReportQuery {
  @StringField({
    description: 'Beginning of the period, included (ISO 8601 with an offset, or a date: midnight UTC)',
    optional: true,
    maxLength: 40,
  })
  from?: string;

  @StringField({ description: 'End of the period, excluded', optional: true, maxLength: 40 })
  to?: string;

  @StringField({ description: 'Only this organisation. Its administrator reads no other one', optional: true, maxLength: 64 })
  orgId?: string;

  @IntegerField({
    description: 'Rows per page. Without it, tables (`format=csv`, `xlsx` and `ndjson`) have every row',
    min: 1,
    max: MAX_ROWS,
    optional: true,
    default: DEFAULT_ROWS,
  })
  limit?: number;

  @StringField({ description: '`nextCursor` of the page before', optional: true, maxLength: 2000 })
  cursor?: string;

  @EnumField(['json', ...TABLE_FORMATS], {
    description:
      'CSV is RFC 4180, UTF-8 with a byte order mark; a workbook with several worksheets has at most 50,000 rows; NDJSON has a row of the JSON response in each line',
    optional: true,
    default: 'json',
  })
  format?: 'json' | TableFormat;
}

class PeriodView {
  @StringField({ description: 'Included; null = from the beginning', format: 'date-time', nullable: true })
  from: string | null;

  @StringField({ description: 'Excluded; null = open', format: 'date-time', nullable: true })
  to: string | null;
}

class ReportAsOfView {
  @IntegerField({ description: 'Last block that is included' })
  blockNumber: number;

  @IntegerField({ description: 'Last final block; null before the first one', nullable: true })
  finalBlockNumber: number | null;
}

/** docs/spec/domain.md#reports: the members that every report has. */
class ReportView {
  @StringField({ description: 'Name of the report' })
  report: string;

  @IntegerField({ description: 'Version of the format', example: 1 })
  version: 1;

  @StringField({ description: 'Slug of the tenant' })
  tenantId: string;

  @StringField({ description: 'Time of the computation', format: 'date-time' })
  generatedAt: string;

  @ObjectField(() => ReportAsOfView, { description: 'Blocks that the figures are based on' })
  asOf: ReportAsOfView;

  @ObjectField(() => PeriodView, { description: 'Period' })
  period: PeriodView;

  @StringField({ description: 'Organisation; null = all', nullable: true })
  orgId: string | null;

  @IntegerField({ description: 'Rows per page' })
  limit: number;

  @IntegerField({ description: 'Number of all rows; null if they are not counted', nullable: true })
  total: number | null;

  @BooleanField({ description: 'There are more rows: continue with `nextCursor`' })
  truncated: boolean;

  @StringField({ description: 'Cursor of the next page; null after the last page', nullable: true })
  nextCursor: string | null;
}

/** The query of one report: its own parameters and those of every report. */
export function queryOf(report: string, { parameters }: ReportDto): new () => ReportQuery {
  const Query = class extends ReportQuery {};
  for (const { name, description, maxLength } of parameters) StringField({ description, maxLength, optional: true })(Query.prototype, name);
  return named(Query, `${pascal(report)}ReportQuery`);
}

export function responseOf(report: string, dto: ReportDto): new () => ReportView {
  const View = class extends ReportView {};
  ObjectField(() => dto.summaryView, { description: 'Over all rows, not only this page' })(View.prototype, 'summary');
  ObjectListField(() => dto.rowView, { description: 'The rows of this page' })(View.prototype, dto.rows);
  for (const [name, view] of Object.entries(dto.lists ?? {}))
    ObjectListField(() => view, { description: 'Not paged' })(View.prototype, name);
  for (const [name, view] of Object.entries(dto.objects ?? {})) ObjectField(() => view, { description: 'Not paged' })(View.prototype, name);
  return named(View, `${pascal(report)}ReportView`);
}

export const pascal = (name: string): string => name.replaceAll(/(^|-)(\w)/g, (_, _dash, letter: string) => letter.toUpperCase());
/** The OpenAPI document identifies classes by their names. */
const named = <T extends object>(type: T, name: string): T => Object.defineProperty(type, 'name', { value: name });
