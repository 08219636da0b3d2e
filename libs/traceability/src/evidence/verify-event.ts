import { Injectable } from '@nestjs/common';
import { cidFromDataHash } from '#content-storage';
import { type Actor, Clock, EngineUnavailable, ROLES } from '#kernel';
import { UnitOfWork } from '#persistence';
import type { CommittedRecord } from '../events/event-record.js';
import { type ChainEvidence, type Verification, verify } from './verification.js';
import { ChainRecordsClient } from './chain-records.client.js';
import { StoredBlocksClient } from './stored-blocks.client.js';
import { FindEvent } from '../events/find-event.js';

export interface VerificationReport extends Verification {
  readonly event: CommittedRecord;
  readonly checkedAt: Date;
}

/** `GET /events/{id}/verify`: asks store and chain again, and says which link holds. */
@Injectable()
export class VerifyEvent {
  constructor(
    private readonly work: UnitOfWork,
    private readonly find: FindEvent,
    private readonly blocks: StoredBlocksClient,
    private readonly records: ChainRecordsClient,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError 404 `event_not_found`, 403 `process_out_of_scope` */
  async verify(actor: Actor, id: string): Promise<VerificationReport> {
    const event = await this.work.read(actor, (tx) => this.find.byId(tx, actor, id, ROLES));
    const [stored, chain] = await Promise.all([this.blocks.found(actor, event.ipfsCid), this.onChain(event)]);
    const cidOfHash = event.dataHash && cidFromDataHash(event.dataHash);
    return { ...verify(event, stored, cidOfHash, chain), event, checkedAt: this.clock.now() };
  }

  private async onChain(event: CommittedRecord): Promise<ChainEvidence | null> {
    if (event.blockNumber === null) return null;
    try {
      return await this.records.of(event);
    } catch (error) {
      if (error instanceof EngineUnavailable) return null;
      throw error;
    }
  }
}
