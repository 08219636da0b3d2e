import { ChainHead } from '#chain';
import { DomainError } from '#kernel';
import { UnitOfWork } from '#persistence';
import { forEachTenant, PeriodicJob } from '#queue';
import { Injectable } from '@nestjs/common';
import { SettingsQueries } from '../settings/settings.queries.js';
import { ChangedPassportsQueries } from './changed-passports.queries.js';
import { ComposePassport } from './compose-passport.js';

/** Passports of a tenant that are composed in one run, so that other tenants do not wait for them. */
const BATCH = 20;
/** Links are no part of what is archived. */
const NOWHERE = { origin: '', choice: '' };

/**
 * Every two seconds: passports that nobody has read since they were issued, or since their lots' history changed in a final block, are composed, so that
 * the archive says what was true then and not what was true when somebody looked. A passport that is read sooner is archived then.
 */
@Injectable()
export class ArchiveChangesJob extends PeriodicJob {
  readonly name = 'passports.archive-changes';
  readonly everyMs = 2_000;

  constructor(
    private readonly work: UnitOfWork,
    private readonly settings: SettingsQueries,
    private readonly head: ChainHead,
    private readonly changes: ChangedPassportsQueries,
    private readonly composePassport: ComposePassport,
  ) {
    super();
  }

  override async run(signal: AbortSignal): Promise<void> {
    const tenants = await this.work.readAsSystem((tx) => this.settings.showing(tx));
    await forEachTenant(tenants, signal, async ({ tenantId }) => {
      for (const id of await this.work.read({ tenantId }, (tx) => this.changes.unread(tx, BATCH))) await this.compose(tenantId, id, signal);
      await this.archive(tenantId, signal);
    });
  }

  /** The mark moves when all are composed: after a crash they are composed again, which archives nothing twice. */
  private async archive(tenantId: string, signal: AbortSignal): Promise<void> {
    const changed = await this.work.inTransaction({ tenantId }, async (tx) => {
      const reached = await this.changes.lockArchived(tx);
      if (reached === null) return null;
      const { final } = await this.head.position(tx);
      // A lot that became another one names the passport of that one, which is there when its block is issued.
      const upTo = Math.min(final, reached.issuedTo);
      return reached.archivedTo < upTo ? { ids: await this.changes.changed(tx, reached.archivedTo, upTo), upTo } : null;
    });
    if (changed === null) return;
    for (const id of changed.ids) await this.compose(tenantId, id, signal);
    if (!signal.aborted) await this.work.inTransaction({ tenantId }, (tx) => this.changes.advance(tx, changed.upTo));
  }

  private async compose(tenantId: string, id: string, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    try {
      await this.composePassport.compose(tenantId, id, NOWHERE);
    } catch (error) {
      // Its lot does not exist any more.
      if (!(error instanceof DomainError && error.status === 404)) throw error;
    }
  }
}
