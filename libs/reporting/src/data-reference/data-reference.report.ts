import { CHAIN_UNAVAILABLE, CONTENT_UNAVAILABLE } from '#http';
import type { Actor } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { scopePatterns } from '#traceability';
import { Injectable } from '@nestjs/common';
import { type ReportPage, type ReportScope, ratio } from '../reports/report.js';
import { Report } from '../reports/read-report.js';
import { type ReportDefinition, textColumn } from '../reports/report.controller.js';
import { CheckPointers } from './check-pointers.js';
import { DataReferenceSummaryView, PointerView } from './data-reference.dto.js';
import { POINTER_KINDS, POINTER_STATUSES, type PointerKind, type PointerStatus } from './pointer.js';
import { type PointerCount, type PointerFilter, PointerQueries, type StoredPointer } from './pointers.queries.js';
import { PointingRecordQueries } from './pointing-records.queries.js';

/** docs/spec/domain.md#data-reference: `refresh=true` checks at most this many pointers. An event has three, a lot has one. */
const MAX_REFRESHED = 200;

/** docs/spec/domain.md#data-reference: audit of pointers between systems. Other systems are only asked with `refresh=true`. */
@Injectable()
class ReadDataReference extends Report<PointerView> {
  static readonly key = { name: 'data-reference' } as const;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly pointers: PointerQueries,
    private readonly records: PointingRecordQueries,
    private readonly checkPointers: CheckPointers,
  ) {
    super();
  }

  override async prepare(actor: Actor, orgId: string | null, parameters: ReportScope['parameters']): Promise<void> {
    if (parameters['refresh'] !== 'true') return;
    const filter = filterOf({ from: null, to: null, processes: scopePatterns(actor), parameters }, orgId);
    const records = await this.unitOfWork.inSnapshot(actor, async (tx) => {
      const stale = await this.pointers.stalest(tx, filter, MAX_REFRESHED / 4);
      const ids = (kind: string): string[] => stale.filter((subject) => subject.kind === kind).map(({ id }) => id);
      return this.records.byIds(tx, ids('event'), ids('lot').map(BigInt));
    });
    await this.checkPointers.check(actor, records);
  }

  override async read(tx: TenantTx, scope: ReportScope): Promise<ReportPage<PointerView>> {
    const filter = filterOf(scope, scope.organisation?.orgId ?? null);
    const counts = await this.pointers.counts(tx, filter);
    const found = await this.pointers.page(tx, filter, scope.after, scope.limit + 1);
    const cursor = await this.pointers.cursor(tx);
    const page = found.slice(0, scope.limit);
    const last = page.at(-1);
    return {
      summary: {
        ...summaryOf(counts),
        sweep: {
          eventBlock: cursor.eventBlock,
          tokenId: Number(cursor.tokenId),
          lapBeganAt: cursor.lapBeganAt.getTime() === 0 ? null : cursor.lapBeganAt,
          lapEndedAt: cursor.lapEndedAt,
        },
      },
      rows: page.map(viewOf),
      total: counts.reduce((sum, { n }) => sum + n, 0),
      next: found.length > page.length ? [String(last!.rank), last!.kind, last!.pointerId] : null,
    };
  }
}

const viewOf = ({ subjectKind, subjectId, tokenId, tlc, rank: _rank, checkedAt, ...pointer }: StoredPointer): PointerView => ({
  ...pointer,
  checkedAt: checkedAt.toISOString(),
  subject: { kind: subjectKind, id: subjectId, tokenId, tlc },
});

function summaryOf(counts: readonly PointerCount[]): object {
  const total = (matches: (count: PointerCount) => boolean): number => counts.filter(matches).reduce((sum, { n }) => sum + n, 0);
  const checked = total(({ status }) => status !== 'not_checked');
  const resolved = total(({ status }) => status === 'ok' || status === 'mismatch');
  return {
    total: total(() => true),
    checked,
    resolvedRatio: ratio(resolved, checked),
    matchRatio: ratio(
      total(({ status }) => status === 'ok'),
      resolved,
    ),
    byKind: Object.fromEntries(
      POINTER_KINDS.map((kind) => [
        kind,
        Object.fromEntries(POINTER_STATUSES.map((status) => [status, total((count) => count.kind === kind && count.status === status)])),
      ]),
    ),
  };
}

const filterOf = (
  { from, to, processes, parameters }: Pick<ReportScope, 'from' | 'to' | 'processes' | 'parameters'>,
  orgId: string | null,
): PointerFilter => ({
  from,
  to,
  orgId,
  processes,
  kind: (parameters['kind'] as PointerKind | undefined) ?? null,
  status: (parameters['status'] as PointerStatus | undefined) ?? null,
});

export const dataReferenceReport: ReportDefinition<PointerView> = {
  report: ReadDataReference,
  title: 'Whether the targets of records exist and equal the record: stored content, chain, documents, identifiers',
  parameters: [
    { name: 'kind', description: `Only pointers of this kind: ${POINTER_KINDS.join(', ')}`, maxLength: 20, values: POINTER_KINDS },
    {
      name: 'status',
      description: `Only pointers with this status: ${POINTER_STATUSES.join(', ')}`,
      maxLength: 20,
      values: POINTER_STATUSES,
    },
    {
      name: 'refresh',
      description: `\`true\`: first check faulty pointers again, then those checked longest ago; ${MAX_REFRESHED} pointers at most`,
      maxLength: 5,
      values: ['true', 'false'],
    },
  ],
  rows: 'pointers',
  rowView: PointerView,
  summaryView: DataReferenceSummaryView,
  // With `refresh=true` the chain and the contents are read.
  problems: [CHAIN_UNAVAILABLE, CONTENT_UNAVAILABLE],
  columns: [
    textColumn('pointerId', 'stable id'),
    textColumn('kind', 'kind of the pointer'),
    textColumn('subjectKind', 'lot or event'),
    textColumn('subjectId', 'token id or event id'),
    textColumn('tokenId', 'token id of a lot'),
    textColumn('tlc', 'code'),
    textColumn('value', 'the CID, hash, token id, identifier or address'),
    textColumn('resolved', 'the target exists'),
    textColumn('matches', 'the target equals the record'),
    textColumn('status', 'ok, mismatch, unresolved or not_checked'),
    textColumn('checkedAt', 'time of the last check'),
    { name: 'latencyMs', unit: 'ms', description: 'duration of the request' },
    textColumn('detail', 'the result in a sentence'),
  ],
  cursor: [/^[0-3]$/, /^[a-zA-Z]{2,10}$/, /^[0-9a-f]{16}$/],
  lines: ({ subject, ...pointer }) => [
    { ...pointer, subjectKind: subject.kind, subjectId: subject.id, tokenId: subject.tokenId, tlc: subject.tlc },
  ],
};
