import { Readable } from 'node:stream';
import { ApiProblems, type Refusal, Heavy, TABLE_CONTENT, listCursor, malformedRequest, periodIn, plainJson } from '#http';
import { Access, CurrentActor, organisationNotFound } from '#identity';
import { type Actor, yieldToEventLoop } from '#kernel';
import { type Line, type Sheet, TABLE_TYPES, type TableFormat, Workbook, tableStream } from '#spreadsheets';
import { Controller, Get, Inject, Param, Query, Res, StreamableFile, type Type } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import { ownOrganisationOnly, sheetTooLarge } from '../errors.js';
import { type AsOf, REPORT_READERS, type ReportResult } from './report.js';
import { GetReport } from './get-report.js';
import type { ReportText } from './read-report-text.js';
import type { Report, ReportClass, ReportRequest } from './read-report.js';
import { DEFAULT_ROWS, MAX_ROWS, type ReportDto, type ReportQuery, queryOf, responseOf, pascal } from './report.dto.js';

/** A column of the table (`format=csv`). */
export interface Column {
  /** The header; it carries the unit, as in `inputKg`. */
  readonly name: string;
  /** `kg`, `s`, `ratio`, `1` for counts; null for what is not a quantity. */
  readonly unit: string | null;
  readonly description: string;
}

export const textColumn = (name: string, description: string): Column => ({ name, unit: null, description });

/** A report over HTTP. Its route, access, OpenAPI description, paging and table are made from this. */
export interface ReportDefinition<Row extends object = never> extends ReportDto {
  readonly report: ReportClass;
  /** A sentence for the OpenAPI document. */
  readonly title: string;
  readonly columns: readonly Column[];
  /** The row in the JSON response, if it is not the row itself. */
  readonly viewOf?: (row: Row) => object;
  /** The lines of the table for one row. */
  readonly lines: (row: Row) => readonly Line[];
  /** The further worksheet that has the row; null for none. */
  readonly sheetOf?: (row: Row) => string | null;
  /** Format of the parts of `next`: a cursor comes from the client. */
  readonly cursor: readonly RegExp[];
  /** What it can be refused with, in addition to every report. */
  readonly problems?: readonly Refusal[];
  /** Also served for one organisation, at `<name>/{orgId}`. */
  readonly ofOrganisation?: true;
}

/** Rows per page of a table that has every row. Each page of a cached report reads the whole tenant, so its pages are large. */
const TABLE_PAGE = MAX_ROWS;
const CACHED_TABLE_PAGE = 10_000;
/** A workbook of several worksheets is whole in memory before its first byte is sent. */
const MAX_XLSX_ROWS = 50_000;

interface Reply {
  header(name: string, value: string): unknown;
}
type Answer = Promise<object | StreamableFile>;
type Pages = AsyncIterable<readonly object[]> | Iterable<readonly object[]>;

export function reportControllers(definition: ReportDefinition): Type[] {
  return definition.ofOrganisation ? [tenantController(definition), organisationController(definition)] : [tenantController(definition)];
}

function tenantController(definition: ReportDefinition): Type {
  const { name } = definition.report.key;
  class RequestQuery extends queryOf(name, definition) {}

  @ApiTags('Reports')
  @Controller('api/v1/reports')
  class TenantReportController {
    constructor(
      @Inject(GetReport) private readonly getReport: GetReport,
      @Inject(definition.report) private readonly report: Report,
    ) {}

    @Get(name)
    @Heavy()
    @Access({ roles: REPORT_READERS })
    @ApiOperation({ summary: definition.title, description: describeColumns(definition), operationId: `get${pascal(name)}Report` })
    @ApiOkResponse({ type: responseOf(name, definition) })
    @ApiProduces('application/json', ...Object.keys(TABLE_CONTENT))
    @ApiProblems(ownOrganisationOnly, organisationNotFound, sheetTooLarge, ...(definition.problems ?? []))
    read(@CurrentActor() actor: Actor, @Query() query: RequestQuery, @Res({ passthrough: true }) reply: Reply): Answer {
      return new Exchange(this.getReport, this.report, definition, actor, query).answer(reply);
    }
  }
  return TenantReportController;
}

function organisationController(definition: ReportDefinition): Type {
  const { name } = definition.report.key;
  class RequestQuery extends queryOf(name, definition) {}

  @ApiTags('Reports')
  @Controller('api/v1/reports')
  class OrganisationReportController {
    constructor(
      @Inject(GetReport) private readonly getReport: GetReport,
      @Inject(definition.report) private readonly report: Report,
    ) {}

    @Get(`${name}/:orgId`)
    @Heavy()
    @Access({ roles: REPORT_READERS })
    @ApiOperation({ summary: `${definition.title}: one organisation`, operationId: `get${pascal(name)}ReportOfOrganisation` })
    @ApiOkResponse({ type: responseOf(name, definition) })
    @ApiProduces('application/json', ...Object.keys(TABLE_CONTENT))
    @ApiProblems(ownOrganisationOnly, organisationNotFound, sheetTooLarge, ...(definition.problems ?? []))
    read(
      @CurrentActor() actor: Actor,
      @Param('orgId') orgId: string,
      @Query() query: RequestQuery,
      @Res({ passthrough: true }) reply: Reply,
    ): Answer {
      return new Exchange(this.getReport, this.report, definition, actor, Object.assign(query, { orgId })).answer(reply);
    }
  }
  return OrganisationReportController;
}

const describeColumns = ({ columns }: ReportDefinition): string =>
  [
    'Columns of `format=csv` and `format=xlsx`; `format=ndjson` has the rows of the JSON response:',
    ...columns.map(({ name, unit, description }) => `- \`${name}\`${unit ? ` (${unit})` : ''}: ${description}`),
  ].join('\n');

/** One request for a report and its response: JSON with one page of rows, or a table of one page (with `limit`) or of every row. */
class Exchange {
  private readonly name: string;
  private readonly request: ReportRequest;
  private readonly cursor: ReturnType<typeof listCursor>;
  private readonly wantsAll: boolean;

  constructor(
    private readonly getReport: GetReport,
    private readonly report: Report,
    private readonly definition: ReportDefinition,
    private readonly actor: Actor,
    private readonly query: ReportQuery,
  ) {
    this.name = definition.report.key.name;
    this.wantsAll = query.format !== undefined && query.format !== 'json' && query.limit === undefined;
    const parameters = parametersOf(definition, query);
    this.cursor = listCursor('report', this.name, actor.tenantId, query.from, query.to, query.orgId, parameters);
    this.request = this.requestOf(parameters);
  }

  async answer(reply: Reply): Answer {
    const { format = 'json' } = this.query;
    if (format === 'json' && this.definition.report.key.lasting) return this.cachedJson(reply);
    const first = await this.page(this.request);
    const nextCursor = this.cursorOf(first);
    if (format === 'json') return this.jsonOf(first, nextCursor);
    const pages = this.wantsAll ? this.pagesFrom(first) : [first.rows];
    const file = await this.fileOf(format, first, pages);
    reply.header('content-disposition', `attachment; filename="${this.name}-${this.actor.tenantSlug}.${format}"`);
    reply.header('cache-control', 'no-store');
    if (nextCursor !== null && !this.wantsAll) reply.header('link', `<?${searchOf(this.query, nextCursor)}>; rel="next"`);
    return file;
  }

  private async fileOf(format: TableFormat, { columns = [], sheets = [] }: ReportResult, pages: Pages): Promise<StreamableFile> {
    const { definition } = this;
    const names = [...definition.columns.map(({ name }) => name), ...columns];
    if (format === 'xlsx' && definition.sheetOf) return this.workbookOf([{ name: this.name, columns: names }, ...sheets], pages);
    const shape = { name: this.name, columns: names, linesOf: (row: object) => definition.lines(row as never) };
    return new StreamableFile(tableStream(format, shape, format === 'ndjson' ? this.viewsOf(pages) : pages), { type: TABLE_TYPES[format] });
  }

  private async *viewsOf(pages: Pages): AsyncGenerator<readonly object[]> {
    const { viewOf } = this.definition;
    for await (const rows of pages) yield rows.map((row) => plainJson(viewOf ? viewOf(row as never) : row) as object);
  }

  /** @throws DomainError 422 `sheet_too_large` */
  private async workbookOf(sheets: readonly Sheet[], pages: Pages): Promise<StreamableFile> {
    const { lines, sheetOf } = this.definition;
    const book = new Workbook(sheets);
    let written = 0;
    for await (const rows of pages) {
      for (const row of rows)
        for (const line of lines(row as never)) {
          if (++written > MAX_XLSX_ROWS) throw sheetTooLarge(MAX_XLSX_ROWS);
          book.add(line, sheetOf?.(row as never) ?? null);
        }
      await yieldToEventLoop();
    }
    return new StreamableFile(Readable.from(book.end(), { objectMode: false }), { type: TABLE_TYPES.xlsx });
  }

  private async cachedJson(reply: Reply): Answer {
    const { answer, asOf } = await this.getReport.text.read(this.actor, [this.name, this.request], async () => {
      const first = await this.page(this.request);
      const json = this.jsonOf(first, this.cursorOf(first));
      return first.isLive ? textAround(json) : { body: json, uncached: true };
    });
    if ('uncached' in answer) return answer.body;
    reply.header('content-type', 'application/json; charset=utf-8');
    return Buffer.concat([Buffer.from(`${answer.head}${JSON.stringify(asOfView(asOf))}`), answer.body]);
  }

  private cursorOf({ next }: ReportResult): string | null {
    return next && this.cursor.after(...next);
  }

  private page(request: ReportRequest): Promise<ReportResult> {
    return this.getReport.get(this.definition.report.key, this.report, this.actor, request);
  }

  /** Each page has its own transaction, so that a slow client keeps none open. */
  private async *pagesFrom(first: ReportResult) {
    yield first.rows;
    for (let after = first.next; after !== null;) {
      const { rows, next } = await this.page({ ...this.request, after });
      yield rows;
      after = next;
    }
  }

  private requestOf(parameters: ReportRequest['parameters']): ReportRequest {
    const { query, definition } = this;
    const { from, to } = periodIn(query.from, query.to);
    const fits = (parts: readonly string[]): boolean =>
      parts.length === definition.cursor.length && definition.cursor.every((shape, i) => shape.test(parts[i]!));
    const tablePage = definition.report.key.cached ? CACHED_TABLE_PAGE : TABLE_PAGE;
    return {
      from,
      to,
      orgId: query.orgId,
      limit: query.limit ?? (this.wantsAll ? tablePage : DEFAULT_ROWS),
      after: query.cursor === undefined ? null : this.cursor.place(query.cursor, fits),
      parameters,
    };
  }

  private jsonOf({ summary, rows, extra, total, generatedAt, asOf, orgId }: ReportResult, nextCursor: string | null): object {
    const { viewOf } = this.definition;
    return plainJson({
      report: this.name,
      version: 1,
      tenantId: this.actor.tenantSlug,
      generatedAt,
      asOf: asOfView(asOf),
      period: { from: this.request.from, to: this.request.to },
      orgId,
      limit: this.request.limit,
      total,
      truncated: nextCursor !== null,
      nextCursor,
      summary,
      [this.definition.rows]: viewOf ? rows.map((row) => viewOf(row as never)) : rows,
      ...extra,
    }) as object;
  }
}

const asOfView = ({ head, final }: AsOf) => ({ blockNumber: head, finalBlockNumber: final < 0 ? null : final });

function textAround(json: object): ReportText {
  const members = Object.entries(json);
  const at = members.findIndex(([name]) => name === 'asOf');
  const textOf = (some: typeof members): string => JSON.stringify(Object.fromEntries(some)).slice(1, -1);
  return { head: `{${textOf(members.slice(0, at))},"asOf":`, body: Buffer.from(`,${textOf(members.slice(at + 1))}}`) };
}

/** @throws DomainError 400 `malformed_request` for a value that is not allowed */
function parametersOf({ parameters }: ReportDefinition, query: ReportQuery): Record<string, string | undefined> {
  const given = query as Record<string, string | undefined>;
  for (const { name, values } of parameters)
    if (values && given[name] !== undefined && !values.includes(given[name]))
      throw malformedRequest([{ pointer: `/${name}`, code: 'not_allowed', message: `${name} must be one of ${values.join(', ')}.` }]);
  return Object.fromEntries(parameters.map(({ name }) => [name, given[name]]));
}

function searchOf(query: ReportQuery, cursor: string): string {
  const given = Object.entries(Object.assign({}, query, { cursor })).filter(([, value]) => value !== undefined);
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
}
