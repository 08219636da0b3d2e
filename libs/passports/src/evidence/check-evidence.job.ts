import { ChainHead } from '#chain';
import { UnitOfWork } from '#persistence';
import { forEachTenant, PeriodicJob } from '#queue';
import { Injectable } from '@nestjs/common';
import { SettingsQueries } from '../settings/settings.queries.js';
import { CheckEvidence } from './check-evidence.js';

/** Every second: some of the issued passports are compared with bytes and chain, in every tenant that shows passports. */
@Injectable()
export class CheckEvidenceJob extends PeriodicJob {
  readonly name = 'passports.check-evidence';
  readonly everyMs = 1_000;

  constructor(
    private readonly work: UnitOfWork,
    private readonly settings: SettingsQueries,
    private readonly head: ChainHead,
    private readonly checkEvidence: CheckEvidence,
  ) {
    super();
  }

  override async run(signal: AbortSignal): Promise<void> {
    // During a rebuild, a lot that is not projected yet has no evidence, and its passport would say so to the public for a day.
    const tenants = await this.work.readAsSystem(async (tx) => {
      const [rebuilding, showing] = await Promise.all([this.head.isRebuilding(tx), this.settings.showing(tx)]);
      return rebuilding ? [] : showing;
    });
    await forEachTenant(tenants, signal, ({ tenantId }) => this.checkEvidence.checkNext(tenantId, signal));
  }
}
