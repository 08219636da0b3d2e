import { hash } from 'node:crypto';
import { malformedRequest } from '#http';
import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { type ReportPage, type ReportScope, ratio } from '../reports/report.js';
import { Report } from '../reports/read-report.js';
import { type ReportDefinition, textColumn } from '../reports/report.controller.js';
import {
  type DocumentName,
  EXPIRING_WITHIN_DAYS,
  MAX_MISSING,
  MAX_USES,
  STATUSES,
  VERIFICATIONS,
  readDocumentName,
  verificationOf,
} from './document.rules.js';
import { DocumentView, DocumentsSummaryView, MissingView } from './documents.dto.js';
import { type DocumentCount, DocumentQueries, type DocumentRow, type Documents } from './documents.queries.js';

/** docs/spec/domain.md#documents. By type, number and issuer. */
@Injectable()
class ReadDocuments extends Report<DocumentView> {
  static readonly key = { name: 'documents', cached: true } as const;

  constructor(private readonly documents: DocumentQueries) {
    super();
  }

  override async read(tx: TenantTx, scope: ReportScope): Promise<ReportPage<DocumentView>> {
    const ends = { today: dayAfter(scope.now, 0), soon: dayAfter(scope.now, EXPIRING_WITHIN_DAYS) };
    const found = await this.documents.read(tx, scope, ends, nameIn(scope));
    const page = found.page.slice(0, scope.limit);
    const checks = await this.documents.checks(tx, [...new Set(page.flatMap(({ usedBy }) => usedBy.map(({ eventId }) => eventId)))]);
    const summary = summaryOf(found);
    const last = page.at(-1);
    return {
      summary,
      rows: page.map((row) => documentOf(row, checks)),
      total: summary.documents,
      next: found.page.length > page.length ? [last!.type ?? '', last!.number ?? '', last!.issuer ?? ''] : null,
      extra: { missing: found.missing },
      ...(found.asOf && { asOf: found.asOf }),
    };
  }
}

/** @throws DomainError 400 `malformed_request` for a text that names no document */
function nameIn({ parameters: { document } }: ReportScope): DocumentName | null {
  if (document === undefined) return null;
  const name = readDocumentName(document);
  if (name) return name;
  throw malformedRequest([
    { pointer: '/document', code: 'not_a_document', message: 'document must be the name of a document in exports.' },
  ]);
}

const dayAfter = (now: Date, days: number): string => new Date(now.getTime() + days * 86_400_000).toISOString().slice(0, 10);

const summaryOf = ({ counts, conflicts, required, present }: Documents) => ({
  documents: counts.reduce((sum, { n }) => sum + n, 0),
  byType: sumsBy('type', counts),
  byStatus: sumsBy('status', counts),
  conflicts,
  required,
  present,
  missing: required - present,
  coverage: ratio(present, required),
  missingTruncated: required - present > MAX_MISSING,
});

/** Sorted by name. */
function sumsBy(field: 'type' | 'status', counts: readonly DocumentCount[]): Record<string, number> {
  const sums = new Map<string, number>();
  for (const count of counts.toSorted((a, b) => (a[field] < b[field] ? -1 : 1)))
    sums.set(count[field], (sums.get(count[field]) ?? 0) + count.n);
  return Object.fromEntries(sums);
}

const documentOf = (row: DocumentRow, checks: ReadonlyMap<string, string>): DocumentView => ({
  documentKey: hash('sha256', [row.type, row.number, row.issuer].map((part) => part ?? '').join('|')),
  ...row,
  verification: verificationOf(row, checks),
});

export const documentsReport: ReportDefinition<DocumentView> = {
  report: ReadDocuments,
  title: 'Documents that events refer to: validity, verification, and missing documents',
  parameters: [
    {
      name: 'document',
      description: 'Only the document with this name in exports (`bizTransaction` in EPCIS); what is missing does not depend on it',
      maxLength: 1_000,
    },
  ],
  rows: 'documents',
  rowView: DocumentView,
  summaryView: DocumentsSummaryView,
  lists: { missing: MissingView },
  columns: [
    textColumn('documentKey', 'sha-256 of type|number|issuer'),
    textColumn('type', 'type'),
    textColumn('number', 'number'),
    textColumn('issuer', 'issuer'),
    textColumn('validFrom', 'first day'),
    textColumn('validTo', 'last day'),
    textColumn('status', STATUSES.join(', ')),
    textColumn('cid', 'content identifier'),
    textColumn('url', 'address of the file'),
    textColumn('sha256', 'hash of the file'),
    textColumn('visibility', 'who may see it'),
    textColumn('verification', VERIFICATIONS.join(', ')),
    textColumn('conflict', 'whether events state different hashes'),
    { name: 'uses', unit: '1', description: 'events that refer to it' },
    textColumn('tlcs', `lot codes of the newest ${MAX_USES} events`),
  ],
  cursor: [/^[^]*$/, /^[^]*$/, /^[^]*$/],
  lines: ({ usedBy, ...row }) => [{ ...row, tlcs: [...new Set(usedBy.flatMap(({ tlcs }) => tlcs))] }],
};
