import type { Actor } from '#kernel';
import { UnitOfWork } from '#persistence';
import { tenantByTenant } from '#queue';
import { Inject, Injectable } from '@nestjs/common';
import { KeptAnswers, type Report, type ReportClass } from '../ports.js';
import { AskReport, KEEP_FROM_LOTS } from './ask-report.js';

/** The reports whose answers are kept, with their classes. */
export const READY_REPORTS = 'reports that are kept ready';
export type ReadyReports = readonly (readonly [ReportClass, Report])[];

/** What is asked when nothing else is said: of the whole tenant, the first page. */
const PLAIN = { from: null, to: null, limit: 100, after: null, parameters: {} };

/** Has the plain question of each kept report answered in every large tenant, before somebody asks it. */
@Injectable()
export class KeepReady {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly kept: KeptAnswers,
    private readonly askReport: AskReport,
    @Inject(READY_REPORTS) private readonly reports: ReadyReports,
  ) {}

  async all(leaving: AbortSignal): Promise<void> {
    const large = await this.unitOfWork.asSystem((tx) => this.kept.largeTenants(tx, KEEP_FROM_LOTS));
    await tenantByTenant(large, leaving, async (tenant) => {
      for (const [{ about }, report] of this.reports) {
        if (leaving.aborted) return;
        await this.askReport.keepReady(about, report, readerOf(tenant), PLAIN);
      }
    });
  }
}

/** Whoever reads all asks the same question. */
const readerOf = ({ tenantId, slug }: { readonly tenantId: string; readonly slug: string }): Actor => ({
  kind: 'api_key',
  id: 'reports',
  tenantId,
  tenantSlug: slug,
  roles: ['AUDITOR'],
  roleScopes: {},
  orgId: null,
  wallet: null,
  wallets: [],
});
