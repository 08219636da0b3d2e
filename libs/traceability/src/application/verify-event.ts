import { Injectable } from '@nestjs/common';
import { ContentStore, CorruptContent, addressOf, cidFromDataHash } from '#content-storage';
import { type Actor, Clock, EngineUnavailable, ROLES } from '#kernel';
import { UnitOfWork } from '#persistence';
import type { ChainEvent } from '../domain/chain-event.js';
import { type ChainEvidence, type StoredBytes, type Verification, verify } from '../domain/verification.js';
import { ChainRecords } from '../ports.js';
import { FindEvent } from './find-event.js';

export interface VerifiedEvent extends Verification {
  readonly event: ChainEvent;
  readonly checkedAt: Date;
}

/** `GET /events/{id}/verify`: asks store and chain anew, and says which link holds. */
@Injectable()
export class VerifyEvent {
  constructor(
    private readonly work: UnitOfWork,
    private readonly find: FindEvent,
    private readonly contents: ContentStore,
    private readonly records: ChainRecords,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError 404 `event_not_found`, 403 `process_out_of_scope` */
  async verify(actor: Actor, id: string): Promise<VerifiedEvent> {
    const event = await this.work.inTransaction(actor, (tx) => this.find.byId(tx, actor, id, ROLES));
    const [stored, chain] = await Promise.all([this.stored(event), this.onChain(event)]);
    const cidOfHash = event.dataHash && cidFromDataHash(event.dataHash);
    return { ...verify(event, stored, cidOfHash, chain), event, checkedAt: this.clock.now() };
  }

  private async stored({ ipfsCid }: ChainEvent): Promise<StoredBytes> {
    if (ipfsCid === null) return { found: 'missing' };
    try {
      const bytes = await this.contents.get(ipfsCid);
      return bytes ? { found: 'bytes', bytes, cid: addressOf(bytes).cid } : { found: 'missing' };
    } catch (error) {
      if (error instanceof CorruptContent) return { found: 'corrupt' };
      if (error instanceof EngineUnavailable) return { found: 'unreachable' };
      throw error;
    }
  }

  private async onChain(event: ChainEvent): Promise<ChainEvidence | null> {
    if (event.blockNumber === null) return null;
    try {
      return await this.records.of(event);
    } catch (error) {
      if (error instanceof EngineUnavailable) return null;
      throw error;
    }
  }
}
