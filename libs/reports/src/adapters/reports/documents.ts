import { hash } from 'node:crypto';
import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { type Figure, ratio } from '../../domain/figures.js';
import { type About, type Outcome, Report, type Scope } from '../../ports.js';
import { REPORT_READERS } from './access.js';
import { documentsOf, missingOf } from './documents.sql.js';
import {
  DocumentView,
  DocumentsSummaryView,
  EXPIRING_WITHIN_DAYS,
  MOST_MISSING,
  MOST_USES,
  MissingView,
  STATUSES,
  VERIFICATIONS,
} from './documents.views.js';
import { eventFigures } from './event-figures.js';
import { documentsIn, eventsIn } from './events-in.js';

const text = (name: string, description: string) => ({ name, unit: null, description });

const about: About = {
  name: 'documents',
  title: 'Documents that events refer to, what has run out, and what is missing',
  access: REPORT_READERS,
  kept: true,
  parameters: [],
  rows: 'documents',
  rowView: () => DocumentView,
  summaryView: () => DocumentsSummaryView,
  beside: { missing: () => MissingView },
  columns: [
    text('documentKey', 'sha-256 of type|number|issuer'),
    text('type', 'type'),
    text('number', 'number'),
    text('issuer', 'issuer'),
    text('validFrom', 'first day'),
    text('validTo', 'last day'),
    text('status', STATUSES.join(', ')),
    text('cid', 'content identifier'),
    text('url', 'where it is'),
    text('sha256', 'hash of the file'),
    text('visibility', 'who may see it'),
    text('verification', VERIFICATIONS.join(', ')),
    text('conflict', 'whether events give different hashes'),
    { name: 'uses', unit: '1', description: 'events that refer to it' },
    text('tlcs', `codes of the lots of the newest ${MOST_USES} events`),
  ],
  place: [/^[^]*$/, /^[^]*$/, /^[^]*$/],
};

/** domain-decisions §6.2. By type, number and issuer. */
@Injectable()
export class DocumentsReport extends Report<DocumentView> {
  static readonly about = about;

  override async run(tx: TenantTx, scope: Scope): Promise<Outcome<DocumentView>> {
    const figures = await eventFigures(tx, scope);
    const { days, dayParameters, facts, factParameters, asOf } = figures;
    const { where, parameters } = eventsIn(tx, scope);
    const page = [
      dayAfter(scope.now, 0),
      dayAfter(scope.now, EXPIRING_WITHIN_DAYS),
      scope.limit + 1,
      ...(scope.after ?? [null, null, null]),
    ];
    const [found] = await tx.sql<Found>(documentsOf(asOf ? documentsIn(scope) : null, where, parameters.length), [...parameters, ...page]);
    const [asked] = await tx.sql<Asked>(
      `select sum(documents_required) as required, sum(documents_present) as present from ${days} d`,
      dayParameters,
    );
    const [required, present] = [Number(asked!.required), Number(asked!.present)];
    const missing = required === present ? [] : await tx.sql<MissingView>(missingOf(facts), factParameters);
    const counts = found!.counts ?? [];
    const documents = counts.reduce((sum, { n }) => sum + n, 0);
    const shown = (found!.page ?? []).slice(0, scope.limit);
    const checks = await checksOf(tx, shown);
    const last = shown.at(-1);
    return {
      summary: {
        documents,
        byType: sumsBy('type', counts),
        byStatus: sumsBy('status', counts),
        conflicts: Number(found!.conflicts),
        required,
        present,
        missing: required - present,
        coverage: ratio(present, required),
        missingTruncated: required - present > MOST_MISSING,
      },
      rows: shown.map((row) => documentOf(row, checks)),
      total: documents,
      next: found!.page && found!.page.length > shown.length ? [last!.type ?? '', last!.number ?? '', last!.issuer ?? ''] : null,
      beside: { missing },
      ...(asOf && { asOf }),
    };
  }

  override lines({ usedBy, ...row }: DocumentView) {
    return [{ ...row, tlcs: [...new Set(usedBy.flatMap(({ tlcs }) => tlcs))] }];
  }
}

type Row = Omit<DocumentView, 'documentKey' | 'verification'>;
interface Count {
  readonly type: string;
  readonly status: string;
  readonly n: number;
}
interface Found {
  readonly conflicts: string;
  readonly counts: readonly Count[] | null;
  readonly page: readonly Row[] | null;
}
const dayAfter = (now: Date, days: number): string => new Date(now.getTime() + days * 86_400_000).toISOString().slice(0, 10);

/** In the order of their names. */
function sumsBy(of: 'type' | 'status', counts: readonly Count[]): Record<string, number> {
  const sums = new Map<string, number>();
  for (const count of counts.toSorted((a, b) => (a[of] < b[of] ? -1 : 1))) sums.set(count[of], (sums.get(count[of]) ?? 0) + count.n);
  return Object.fromEntries(sums);
}

interface Asked {
  readonly required: Figure;
  readonly present: Figure;
}

/** What the last check of data references found about the files of these events: by event and value. */
type Checks = ReadonlyMap<string, string>;

async function checksOf(tx: TenantTx, rows: readonly Row[]): Promise<Checks> {
  const events = [...new Set(rows.flatMap(({ usedBy }) => usedBy.map(({ eventId }) => eventId)))];
  const found = await tx.sql<{ readonly event: string; readonly value: string; readonly status: string }>(
    `select p.subject_id as event, p.value, p.status from reports.pointer p
     where p.tenant_id = $1 and p.kind = 'document' and p.subject_kind = 'event' and p.subject_id = any($2::text[])`,
    [tx.tenantId, events],
  );
  return new Map(found.map(({ event, value, status }) => [`${event} ${value}`, status]));
}

/** The worst of what was found: a file that is not what one event says is not what the document is. */
function verificationOf({ cid, url, sha256, usedBy }: Row, checks: Checks): string {
  const found = usedBy.flatMap(({ eventId }) => [cid, url, sha256].map((value) => checks.get(`${eventId} ${value}`)));
  return ['mismatch', 'unresolved'].find((status) => found.includes(status)) ?? (found.includes('ok') ? 'verified' : 'not_checked');
}

const documentOf = (row: Row, checks: Checks): DocumentView => ({
  documentKey: hash('sha256', [row.type, row.number, row.issuer].map((part) => part ?? '').join('|')),
  ...row,
  verification: verificationOf(row, checks),
});
