import { ContentStore, CorruptContent, addressOf } from '#content-storage';
import { Clock, EngineUnavailable } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Injectable } from '@nestjs/common';
import type { CheckResult } from '../issuing/issued-passport.js';
import { EvidenceClient } from './evidence.client.js';
import type { MintEvidence } from './evidence.js';
import { EvidenceQueries } from './evidence.queries.js';

const EVERY_MS = 86_400_000;
const BATCH = 20;

/** Compares what passports say of bytes and chain with both, each once a day. */
@Injectable()
export class CheckEvidence {
  constructor(
    private readonly work: UnitOfWork,
    private readonly evidence: EvidenceQueries,
    private readonly contents: ContentStore,
    private readonly chain: EvidenceClient,
    private readonly clock: Clock,
  ) {}

  /** The next batch of a tenant. */
  async checkNext(tenantId: string, leaving: AbortSignal): Promise<void> {
    const before = new Date(this.clock.now().getTime() - EVERY_MS);
    const due = await this.work.inTransaction({ tenantId }, (tx) => this.evidence.due(tx, before, BATCH));
    for (const { id, evidence } of due) {
      if (leaving.aborted) return;
      const result = await this.check(evidence);
      await this.work.inTransaction({ tenantId }, (tx) => this.evidence.record(tx, id, result, this.clock.now()));
    }
  }

  private async check(evidence: MintEvidence | null): Promise<CheckResult> {
    if (evidence === null) return 'unreachable';
    try {
      const bytes = await this.contents.get(evidence.cid);
      if (bytes === null) return 'unreachable';
      const { cid, dataHash } = addressOf(bytes);
      const landed = await this.chain.dataHashOf(evidence);
      return cid === evidence.cid && dataHash === evidence.dataHash && landed === evidence.dataHash ? 'ok' : 'mismatch';
    } catch (error) {
      if (error instanceof CorruptContent) return 'mismatch';
      if (error instanceof EngineUnavailable) return 'unreachable';
      throw error;
    }
  }
}
