import { ChainProfile } from '#chain';
import { ContentStore, canonicalBytes } from '#content-storage';
import { type Actor, Clock, type Hex, newId } from '#kernel';
import { Injectable } from '@nestjs/common';
import type { CustodyOrder } from '../domain/custody-order.js';

export interface StoredNote {
  readonly ipfsCid: string;
  readonly dataHash: Hex;
}

/** Metadata of a custody call that records no event: stored by content, so that its hash can go on chain with the call. */
@Injectable()
export class StoreCustodyNote {
  constructor(
    private readonly content: ContentStore,
    private readonly chain: ChainProfile,
    private readonly clock: Clock,
  ) {}

  /** Null when there is nothing to store. @throws DomainError 422 `invalid_content`, EngineUnavailable('content_storage') */
  async store(actor: Actor, order: CustodyOrder, contract: string, sender: string | null): Promise<StoredNote | null> {
    if (Object.keys(order.metadata).length === 0) return null;
    const { cid, dataHash } = await this.content.put(
      canonicalBytes({
        v: 1,
        id: newId(), // random, so that nobody can guess the CID from guessable metadata
        tenant: actor.tenantSlug,
        chainId: this.chain.chainId,
        contract,
        action: order.action,
        tokenIds: order.tokenIds.map(Number),
        to: order.to,
        preparedBy: sender,
        preparedAt: this.clock.now().toISOString(),
        metadata: order.metadata,
      }),
    );
    return { ipfsCid: cid, dataHash };
  }
}
