import { ChainProfile } from '#chain';
import { ContentStore, canonicalBytes } from '#content-storage';
import { type Actor, Clock, type Hex, newId } from '#kernel';
import { Injectable } from '@nestjs/common';

export interface CallNote {
  readonly contract: string;
  readonly method: string;
  readonly from: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Metadata of a call that records no event: stored by content, so that its hash can go on chain with the call. */
@Injectable()
export class StoreCallNote {
  constructor(
    private readonly content: ContentStore,
    private readonly chain: ChainProfile,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError 422 `invalid_content`, EngineUnavailable('content_storage') */
  async store(actor: Actor, { contract, method, from, metadata }: CallNote): Promise<{ readonly ipfsCid: string; readonly dataHash: Hex }> {
    const { cid, dataHash } = await this.content.put(
      canonicalBytes({
        v: 1,
        id: newId(), // random, so that nobody can guess the CID from guessable metadata
        tenant: actor.tenantSlug,
        chainId: this.chain.chainId,
        contract,
        method,
        preparedBy: from,
        preparedAt: this.clock.now().toISOString(),
        metadata,
      }),
    );
    return { ipfsCid: cid, dataHash };
  }
}
