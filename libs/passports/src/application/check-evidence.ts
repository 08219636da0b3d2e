import { ChainHead } from '#chain';
import { ContentStore, CorruptContent, addressOf } from '#content-storage';
import { Injectable } from '@nestjs/common';
import { Clock, EngineUnavailable } from '#kernel';
import { UnitOfWork } from '#persistence';
import { tenantByTenant } from '#queue';
import type { CheckResult } from '../domain/passport.js';
import { type Evidence, PassportSettings, Passports, Receipts } from '../ports.js';

const EVERY_MS = 86_400_000;
const BATCH = 20;

/** Holds what passports say of bytes and chain against both, each once a day. */
@Injectable()
export class CheckEvidence {
  constructor(
    private readonly work: UnitOfWork,
    private readonly passports: Passports,
    private readonly settings: PassportSettings,
    private readonly contents: ContentStore,
    private readonly receipts: Receipts,
    private readonly head: ChainHead,
    private readonly clock: Clock,
  ) {}

  /** A batch of each tenant. */
  async checkNext(leaving: AbortSignal): Promise<void> {
    // A lot that is not projected yet has no evidence, and its passport would say so to the public for a day.
    const showing = await this.work.asSystem(async (tx) => ((await this.head.isMadeAnew(tx)) ? [] : this.settings.showing(tx)));
    await tenantByTenant(showing, leaving, async ({ tenantId }) => {
      const before = new Date(this.clock.now().getTime() - EVERY_MS);
      const due = await this.work.inTransaction({ tenantId }, (tx) => this.passports.unchecked(tx, before, BATCH));
      for (const { id, evidence } of due) {
        if (leaving.aborted) return;
        const result = await this.check(evidence);
        await this.work.inTransaction({ tenantId }, (tx) => this.passports.checked(tx, id, result, this.clock.now()));
      }
    });
  }

  private async check(evidence: Evidence | null): Promise<CheckResult> {
    if (evidence === null) return 'unreachable';
    try {
      const bytes = await this.contents.get(evidence.cid);
      if (bytes === null) return 'unreachable';
      const { cid, dataHash } = addressOf(bytes);
      const landed = await this.receipts.dataHashOf(evidence);
      return cid === evidence.cid && dataHash === evidence.dataHash && landed === evidence.dataHash ? 'ok' : 'mismatch';
    } catch (error) {
      if (error instanceof CorruptContent) return 'mismatch';
      if (error instanceof EngineUnavailable) return 'unreachable';
      throw error;
    }
  }
}
