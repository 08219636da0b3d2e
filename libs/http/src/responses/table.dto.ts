import { TABLE_FORMATS, TABLE_TYPES, type TableFormat, type TableShape, tableStream } from '#spreadsheets';
import { StreamableFile } from '@nestjs/common';
import { malformedRequest } from '../problems/refusals.js';
import { BooleanField, CursorField, EnumField } from '../requests/fields.js';
import { PageQuery } from './page.dto.js';

/** Rows of a whole table that are in memory at once, each page in a transaction of its own: a slow reader holds none open. */
const AT_ONCE = 500;

/** Query of a list that is a table too. */
export class TableQuery extends PageQuery {
  @CursorField()
  cursor?: string;

  @EnumField(['json', ...TABLE_FORMATS], {
    description: 'CSV is RFC 4180, UTF-8 with a byte order mark; NDJSON has an item of the list in each line',
    optional: true,
  })
  format?: 'json' | TableFormat;

  @BooleanField({ description: 'Every item in one table, written as fast as it is read; not as `json`', optional: true })
  all?: boolean;
}

interface ListPage<Row> {
  readonly data: readonly Row[];
  readonly nextCursor: string | null;
}

interface TableRequest {
  readonly url: string;
}

interface TableReply {
  header(name: string, value: string): unknown;
}

/**
 * A page of a list as JSON, or as a table: of one page, whose `Link` leads to the next, or of every item.
 * @param read one page of the list
 * @throws DomainError 400 `malformed_request`
 */
export async function listOrTable<Query extends TableQuery, Row extends object, Answer extends ListPage<Row>>(
  query: Query,
  { request, reply }: { readonly request: TableRequest; readonly reply: TableReply },
  shape: TableShape<Row>,
  read: (page: Query) => Promise<Answer>,
): Promise<Answer | StreamableFile> {
  const { format = 'json', all = false, page } = query;
  if (format === 'json') {
    if (all) throw malformedRequest([{ pointer: '/all', code: 'not_as_json', message: 'As JSON, the list comes a page at a time.' }]);
    return read(query);
  }
  if (page > 1)
    throw malformedRequest([
      { pointer: '/page', code: 'not_numbered', message: 'Tables are not numbered: the Link of each leads to the next.' },
    ]);
  const first = await read(all ? Object.assign({}, query, { limit: AT_ONCE }) : query);
  const pages = all ? following(first, (cursor) => read(Object.assign({}, query, { limit: AT_ONCE, cursor }))) : [first.data];
  if (!all && first.nextCursor !== null) reply.header('link', `<?${searchOf(request.url, first.nextCursor)}>; rel="next"`);
  reply.header('content-disposition', `attachment; filename="${shape.name}.${format}"`);
  reply.header('cache-control', 'no-store');
  return new StreamableFile(tableStream(format, shape, pages), { type: TABLE_TYPES[format] });
}

async function* following<Row>(first: ListPage<Row>, next: (cursor: string) => Promise<ListPage<Row>>): AsyncGenerator<readonly Row[]> {
  yield first.data;
  for (let cursor = first.nextCursor; cursor !== null;) {
    const page = await next(cursor);
    yield page.data;
    cursor = page.nextCursor;
  }
}

function searchOf(url: string, cursor: string): string {
  const search = new URLSearchParams(url.split('?', 2)[1]);
  search.set('cursor', cursor);
  return search.toString();
}

const FILE = { schema: { type: 'string', format: 'binary' } } as const;

/** The tables among the answers of a route in the OpenAPI document. */
export const TABLE_CONTENT = {
  'text/csv': { schema: { type: 'string' } },
  [TABLE_TYPES.xlsx]: FILE,
  'application/x-ndjson': { schema: { type: 'string' } },
} as const;
