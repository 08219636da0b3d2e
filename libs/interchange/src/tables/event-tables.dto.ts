import { type ListCursor, listCursor } from '#http';
import { isUuid } from '#kernel';
import { UnitOfWork } from '#persistence';
import { TABLE_FORMATS, TABLE_TYPES, type TableFormat, tableStream } from '#spreadsheets';
import {
  EventAccounts,
  type FormatRequest,
  type FormattedList,
  ListFormats,
  type ListPosition,
  Processes,
  type RecordShape,
} from '#traceability';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { fieldsOf } from '../imports/process-fields.js';
import { eventTable, recordOf } from './event-table.js';

/** Events of a whole table that are in memory at once. */
const AT_ONCE = 500;

/** `format=csv`, `xlsx` and `ndjson` of the lists of events. */
@Injectable()
export class EventTables implements OnModuleInit {
  constructor(
    private readonly formats: ListFormats,
    private readonly work: UnitOfWork,
    private readonly accounts: EventAccounts,
    private readonly processes: Processes,
  ) {}

  onModuleInit(): void {
    for (const name of TABLE_FORMATS)
      this.formats.add({ name, mediaType: TABLE_TYPES[name].split(';', 1)[0]!, write: (request) => this.write(name, request) });
  }

  private async write(format: TableFormat, request: FormatRequest): Promise<FormattedList> {
    const { actor, filter, limit, cursor } = request;
    const cursors = cursorsOf(request);
    const start = cursor === undefined ? null : placeAt(cursors, cursor);
    const shape =
      filter.processType === undefined ? null : await this.work.read(actor, (tx) => this.processes.shapeOf(tx, filter.processType!));
    const first = await this.page(request, start, limit ?? AT_ONCE);
    const last = first.at(-1);
    const more = filter.id === undefined && limit !== null && last !== undefined && first.length === limit;
    const pages = limit === null ? this.following(request, first) : [first];
    const table = { name: 'events', ...eventTable(shape && fieldsOf(shape)) };
    return {
      contentType: TABLE_TYPES[format],
      fileName: `events.${format}`,
      next: more ? cursors.after(...partsOf(placeOf(last))) : null,
      text: format === 'ndjson' ? tableStream(format, table, recordsOf(pages) as never) : tableStream(format, table, pages),
    };
  }

  /** Each page is a transaction of its own: a slow reader holds none open. */
  private async page({ actor, filter }: FormatRequest, after: ListPosition | null, limit: number): Promise<readonly RecordShape[]> {
    const accounts = await this.work.inSnapshot(actor, (tx) => this.accounts.page(tx, actor, filter, after, limit));
    return accounts.map(({ event }) => event);
  }

  private async *following(request: FormatRequest, first: readonly RecordShape[]): AsyncGenerator<readonly RecordShape[]> {
    for (let page = first; page.length > 0;) {
      yield page;
      page = page.length < AT_ONCE ? [] : await this.page(request, placeOf(page.at(-1)!), AT_ONCE);
    }
  }
}

async function* recordsOf(
  pages: AsyncIterable<readonly RecordShape[]> | Iterable<readonly RecordShape[]>,
): AsyncGenerator<readonly object[]> {
  for await (const page of pages) yield page.map(recordOf);
}

const placeOf = ({ eventTime, id }: RecordShape): ListPosition => ({ eventTime: eventTime === null ? null : new Date(eventTime), id });
const partsOf = ({ eventTime, id }: ListPosition): readonly [string, string] => [eventTime?.toISOString() ?? '', id];

const cursorsOf = ({ actor, filter }: FormatRequest): ListCursor => {
  const { status, id, processType, kind, tokenIds, tlc, orgId, from, to } = filter;
  return listCursor(actor.tenantId, 'event-table', status, id, processType, kind, tokenIds?.join(), tlc, orgId, from, to);
};

function placeAt(cursors: ListCursor, cursor: string): ListPosition {
  const [at, id] = cursors.place(
    cursor,
    ([time, after, ...rest]) => rest.length === 0 && isUuid(after) && (time === '' || !Number.isNaN(Date.parse(time!))),
  );
  return { eventTime: at === '' ? null : new Date(at!), id: id! };
}
