import { instantIn, listCursor, malformedRequest, plainJson } from '#http';
import type { Actor } from '#kernel';
import { StreamableFile } from '@nestjs/common';
import type { AskReport } from '../../application/ask-report.js';
import type { ReportRequest } from '../../application/run-report.js';
import type { About, Report, Reported } from '../../ports.js';
import { csvOf } from './report-csv.js';
import { DEFAULT_ROWS, MAX_ROWS, ROWS_OF_A_PASS, type ReportQuery } from './report.dto.js';

export interface Reply {
  header(name: string, value: string): unknown;
}

/** JSON of one page of rows, or a table: of one page where a `limit` is given, else of every row. */
export async function answerReport(
  askReport: AskReport,
  report: Report,
  about: About,
  actor: Actor,
  query: ReportQuery,
  reply: Reply,
): Promise<object | StreamableFile> {
  const asksForAll = query.format === 'csv' && query.limit === undefined;
  const cursor = cursorOf(about, actor, query);
  const request = requestOf(about, query, cursor, asksForAll ? (about.kept ? ROWS_OF_A_PASS : MAX_ROWS) : DEFAULT_ROWS);
  const first = await askReport.ask(about, report, actor, request);
  const nextCursor = first.next && cursor.after(...first.next);
  if (query.format !== 'csv') return jsonOf(about, actor, request, first, nextCursor);
  reply.header('content-disposition', `attachment; filename="${about.name}-${actor.tenantSlug}.csv"`);
  reply.header('cache-control', 'no-store');
  if (nextCursor !== null && !asksForAll) reply.header('link', `<?${searchOf(query, nextCursor)}>; rel="next"`);
  const pages = asksForAll ? following(askReport, about, report, actor, request, first) : [first.rows];
  return new StreamableFile(csvOf(report, about.columns, pages), { type: 'text/csv; charset=utf-8' });
}

/** Page after page, each in a transaction of its own: a client that reads slowly holds none open. */
async function* following(askReport: AskReport, about: About, report: Report, actor: Actor, request: ReportRequest, first: Reported) {
  yield first.rows;
  for (let after = first.next; after !== null; ) {
    const { rows, next } = await askReport.ask(about, report, actor, { ...request, after });
    yield rows;
    after = next;
  }
}

function searchOf(query: ReportQuery, cursor: string): string {
  const asked = Object.entries(Object.assign({}, query, { cursor })).filter(([, value]) => value !== undefined);
  return new URLSearchParams(asked.map(([name, value]) => [name, String(value)])).toString();
}

type Cursor = ReturnType<typeof listCursor>;

const parametersOf = (about: About, query: ReportQuery): Record<string, string | undefined> =>
  Object.fromEntries(about.parameters.map(({ name }) => [name, (query as Record<string, string | undefined>)[name]]));

const cursorOf = (about: About, actor: Actor, query: ReportQuery): Cursor =>
  listCursor('report', about.name, actor.tenantId, query.from, query.to, query.orgId, parametersOf(about, query));

function requestOf(about: About, query: ReportQuery, cursor: Cursor, limit: number): ReportRequest {
  const from = query.from === undefined ? null : instantIn(query.from, '/from');
  const to = query.to === undefined ? null : instantIn(query.to, '/to');
  if (from && to && from.getTime() > to.getTime())
    throw malformedRequest([{ pointer: '/to', code: 'out_of_range', message: 'The period ends before it begins.' }]);
  const fits = (parts: readonly string[]): boolean =>
    parts.length === about.place.length && about.place.every((shape, i) => shape.test(parts[i]!));
  return {
    from,
    to,
    orgId: query.orgId,
    limit: query.limit ?? limit,
    after: query.cursor === undefined ? null : cursor.place(query.cursor, fits),
    parameters: parametersOf(about, query),
  };
}

function jsonOf(about: About, actor: Actor, request: ReportRequest, reported: Reported, nextCursor: string | null): object {
  const { summary, rows, beside, total, generatedAt, asOf, orgId } = reported;
  return plainJson({
    report: about.name,
    version: 1,
    tenantId: actor.tenantSlug,
    generatedAt,
    asOf: { blockNumber: asOf.head, finalBlockNumber: asOf.final < 0 ? null : asOf.final },
    period: { from: request.from, to: request.to },
    orgId,
    limit: request.limit,
    total,
    truncated: nextCursor !== null,
    nextCursor,
    summary,
    [about.rows]: rows,
    ...beside,
  }) as object;
}
