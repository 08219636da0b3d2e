import { IntegerField, JsonObjectField, NumberField, StringField, malformedRequest } from '#http';
import { lotLinkFault, yieldToEventLoop } from '#kernel';
import type { TenantTx } from '#persistence';
import { Lots, LotsAfterEvents, type StateAfter } from '#traceability';
import { Injectable } from '@nestjs/common';
import { Report } from '../reports/read-report.js';
import type { ReportDefinition } from '../reports/report.controller.js';
import type { ReportPage, ReportScope } from '../reports/report.js';
import { type CteRow, Fsma204Queries } from './fsma204.queries.js';
import { type OwnEvent, type SheetProcess, extraColumns, isSame, sheetsOf } from './kde.js';
import { NUMBER_COLUMNS, SHEET_COLUMNS } from './sheet-columns.js';
import { SheetProcessQueries } from './sheet-processes.queries.js';
import { type SheetFacts, type SheetRow, sheetRows } from './sheet.rules.js';

/** Events per page, so that its lots stay few. */
const MAX_EVENTS = 500;
/** Rows of this many events are computed between two yields to the event loop. */
const EVENTS_PER_YIELD = 20;
/** All rows of an event were shown. */
const ALL_ROWS = '999999999';

/**
 * docs/spec/domain.md#fsma-204, by the time that an event first stated, oldest first; a corrected event shows its last values. Events
 * without a time come first, unless a period is given.
 */
@Injectable()
class ReadFsma204 extends Report<SheetRow> {
  static readonly key = { name: 'fsma204', lasting: true } as const;

  constructor(
    private readonly queries: Fsma204Queries,
    private readonly processes: SheetProcessQueries,
    private readonly lots: Lots,
    private readonly lotsAfter: LotsAfterEvents,
  ) {
    super();
  }

  override async read(tx: TenantTx, scope: ReportScope): Promise<ReportPage<SheetRow>> {
    const fault = lotLinkFault(scope.parameters['tlc'] ?? '');
    if (fault) throw malformedRequest([{ pointer: '/tlc', ...fault }]);
    const limit = Math.min(scope.limit, MAX_EVENTS);
    const reading = this.processes.all(tx);
    const [processes, events] = await Promise.all([reading, this.queries.events(tx, scope, reading, limit)]);
    // A page has megabytes of metadata and many columns per row: other requests run in between.
    await yieldToEventLoop();
    const contents = await this.contentsOf(tx, events);
    const named = lotsNamed(events, contents);
    const orgId = scope.readsAll ? null : scope.organisation!.orgId;
    const [states, lots, own] = await Promise.all([
      this.lotsAfter.of(tx, named),
      this.queries.lots(tx, [...new Set(named.map(({ tokenId }) => tokenId))], processes, orgId),
      this.ownOf(tx, events, contents, { processes, orgId }),
    ]);
    await yieldToEventLoop();
    const facts = (event: CteRow): SheetFacts => ({
      lots,
      states: states.get(event.id) ?? NO_STATES,
      contents: contents.get(event.id) ?? NO_CONTENTS,
      own: before(event, contents.get(event.id) ?? NO_CONTENTS, own),
    });
    return {
      ...(await pageOf(events, facts, scope, limit)),
      columns: extraColumns(processes.values()),
      sheets: sheetsOf([...processes.values()]),
    };
  }

  /** What was in containers when they were moved or observed, by event: the sheet lists food, not pallets. */
  private async contentsOf(tx: TenantTx, events: readonly CteRow[]): Promise<ReadonlyMap<string, Contents>> {
    const moved = new Map(events.filter(({ kind }) => kind === 'transfer' || kind === 'observation').map((one) => [momentOf(one), one]));
    const containers = [...moved.values()].flatMap(({ inputs, block, logIndex }) =>
      inputs.map(({ tokenId }) => ({ containerTokenId: BigInt(tokenId), moment: { block: Number(block), logIndex } })),
    );
    const byEvent = new Map<string, Map<number, number[]>>();
    for (const { containerTokenId, moment, tokenId } of await this.lots.contentsAt(tx, containers)) {
      const { id } = moved.get(momentOf(moment))!;
      const contents = byEvent.get(id) ?? new Map<number, number[]>();
      byEvent.set(id, contents);
      contents.set(Number(containerTokenId), [...(contents.get(Number(containerTokenId)) ?? []), Number(tokenId)]);
    }
    return byEvent;
  }

  /** Events of the inputs' own, where a process asks for what is true of each input. */
  private ownOf(
    tx: TenantTx,
    events: readonly CteRow[],
    contents: ReadonlyMap<string, Contents>,
    { processes, orgId }: { readonly processes: ReadonlyMap<string, SheetProcess>; readonly orgId: string | null },
  ): Promise<OwnEvents> {
    const asking = events.filter(({ process }) => process?.kdes.some(({ ofInput }) => ofInput));
    const tokenIds = asking.flatMap(({ id, inputs }) => inputs.flatMap(({ tokenId }) => contents.get(id)?.get(tokenId) ?? [tokenId]));
    const asked = [...new Set(asking.map(({ process }) => process!))].flatMap(({ kdes }) => kdes.filter(({ ofInput }) => ofInput));
    const stating = [...processes.values()].filter(({ kdes }) => kdes.some((kde) => asked.some((one) => isSame(one, kde))));
    const processTypes = stating.map(({ processType }) => processType);
    return this.queries.own(tx, [...new Set(tokenIds)], { processes, processTypes: [...new Set(processTypes)], orgId });
  }
}

type OwnEvents = ReadonlyMap<number, readonly OwnEvent[]>;
/** Token ids by container. */
type Contents = ReadonlyMap<number, readonly number[]>;
const NO_CONTENTS: Contents = new Map();
const NO_STATES: ReadonlyMap<number, StateAfter> = new Map();
const NO_EVENTS: OwnEvents = new Map();

const momentOf = ({ block, logIndex }: { readonly block: number | string; readonly logIndex: number }): string => `${block}/${logIndex}`;

/** What was known of its inputs when the event was recorded. */
function before(event: CteRow, contents: Contents, own: OwnEvents): OwnEvents {
  if (!event.process?.kdes.some(({ ofInput }) => ofInput)) return NO_EVENTS;
  const block = Number(event.block);
  const inside = [...contents.values()].flat();
  const earlier = (one: OwnEvent): boolean => one.block < block || (one.block === block && one.logIndex < event.logIndex);
  const tokenIds = [...event.inputs.map(({ tokenId }) => tokenId), ...inside];
  return new Map(tokenIds.map((tokenId) => [tokenId, (own.get(tokenId) ?? []).filter(earlier)]));
}

function lotsNamed(events: readonly CteRow[], contents: ReadonlyMap<string, Contents>): { eventId: string; tokenId: number }[] {
  return events.flatMap(({ id, inputs, outputs }) => {
    const inside = [...(contents.get(id)?.values() ?? [])].flat();
    const tokenIds = new Set([...[...inputs, ...outputs].map(({ tokenId }) => tokenId), ...inside]);
    return [...tokenIds].map((tokenId) => ({ eventId: id, tokenId }));
  });
}

/** The page ends after `limit` rows or after the last event; it may end within an event. */
async function pageOf(
  events: readonly CteRow[],
  facts: (event: CteRow) => SheetFacts,
  { after, limit }: ReportScope,
  maxEvents: number,
): Promise<ReportPage<SheetRow>> {
  const rows: SheetRow[] = [];
  const page = (count: number, next: readonly string[] | null) => ({
    rows,
    total: null,
    summary: { rows: rows.length, events: count },
    next,
  });
  for (const [i, event] of events.entries()) {
    if (i % EVENTS_PER_YIELD === EVENTS_PER_YIELD - 1) await yieldToEventLoop();
    let shown = i === 0 && after?.[1] === event.id ? Number(after[2]) : 0;
    const skip = shown;
    let n = 0;
    for (const row of sheetRows(event, facts(event))) {
      if (n++ < skip) continue;
      if (rows.length === limit) return page(i + 1, [event.place, event.id, String(shown)]);
      rows.push(row);
      shown++;
    }
  }
  const last = events.at(-1);
  return page(events.length, last && events.length === maxEvents ? [last.place, last.id, ALL_ROWS] : null);
}

/** One member per column; null if unknown. */
class SheetRowView {
  @JsonObjectField({ description: 'Key data elements without a column of their own in every sheet: by the names in the process maps' })
  kdes: object;
}
for (const [key, header] of SHEET_COLUMNS)
  (NUMBER_COLUMNS.has(key) ? NumberField : StringField)({ description: header, nullable: true })(SheetRowView.prototype, key);

class SheetSummaryView {
  @IntegerField({ description: 'Rows of this page' })
  rows: number;

  @IntegerField({ description: 'Events of this page' })
  events: number;
}

export const fsma204Report: ReportDefinition<SheetRow> = {
  report: ReadFsma204,
  title: 'FSMA 204 sortable spreadsheet (21 CFR 1.1455): one row per event and lot',
  parameters: [{ name: 'tlc', description: 'Only events of the lot with this code or IRI, or of a container of it', maxLength: 500 }],
  rows: 'rows',
  rowView: SheetRowView,
  summaryView: SheetSummaryView,
  columns: SHEET_COLUMNS.map(([key, name]) => ({ name, unit: NUMBER_COLUMNS.has(key) ? 'see its unit column' : null, description: name })),
  sheetOf: ({ cte }) => cte as string | null,
  // Time of the last event (empty without one), its id, number of its rows that were shown.
  cursor: [/^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{1,6}Z)?$/, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, /^\d{1,9}$/],
  lines: (row) => [{ ...row.kdes, ...Object.fromEntries(SHEET_COLUMNS.map(([key, name]) => [name, row[key] as string | number | null])) }],
};
