import { Injectable } from '@nestjs/common';
import type { TenantTx } from '#persistence';
import { type ReportPage, type ReportScope, pageOf } from '../reports/report.js';
import { Report } from '../reports/read-report.js';
import { type ReportDefinition, textColumn } from '../reports/report.controller.js';
import { SponsoredKeyView, SponsorshipSummaryView } from './sponsorship.dto.js';
import { SponsorshipReportQueries } from './sponsorship.queries.js';

/** docs/spec/api.md#relay: who signed, and who paid. Relays count by the time when they were handed over. */
@Injectable()
class ReadSponsorship extends Report<SponsoredKeyView> {
  static readonly key = { name: 'sponsorship' } as const;

  constructor(private readonly sponsorship: SponsorshipReportQueries) {
    super();
  }

  override async read(tx: TenantTx, scope: ReportScope): Promise<ReportPage<SponsoredKeyView>> {
    const rows = await this.sponsorship.read(tx, scope);
    const sum = (of: (row: SponsoredKeyView) => number): number => rows.reduce((all, row) => all + of(row), 0);
    const wei = rows.reduce((all, row) => all + BigInt(row.wei), 0n);
    const summary = { batches: sum(({ batches }) => batches), calls: sum(({ calls }) => calls), wei: String(wei) };
    return { summary, ...pageOf(rows, scope) };
  }
}

export const sponsorshipReport: ReportDefinition<SponsoredKeyView> = {
  report: ReadSponsorship,
  title: 'What the sponsor sent and paid for members who sign with passkeys',
  parameters: [],
  rows: 'passkeys',
  rowView: SponsoredKeyView,
  summaryView: SponsorshipSummaryView,
  columns: [
    textColumn('account', 'address of the account that acted'),
    textColumn('label', 'what its wallet is called'),
    textColumn('orgId', 'its organisation'),
    textColumn('orgName', 'name of the organisation'),
    textColumn('signedBy', 'id of the passkey'),
    textColumn('paidBy', 'address of the sponsor'),
    { name: 'batches', unit: '1', description: 'relays' },
    { name: 'calls', unit: '1', description: 'calls in them' },
    { name: 'mined', unit: '1', description: 'relays that a block has' },
    { name: 'reverted', unit: '1', description: 'relays that failed on chain' },
    { name: 'notSent', unit: '1', description: 'relays that were not sent in time, or would have failed' },
    { name: 'underway', unit: '1', description: 'relays on their way' },
    { name: 'wei', unit: 'wei', description: 'what they cost' },
  ],
  cursor: [/^\d{1,9}$/],
  lines: ({ ...row }) => [row],
};
