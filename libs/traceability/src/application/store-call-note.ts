import { Injectable } from '@nestjs/common';
import { ChainProfile } from '#chain';
import { ContentStore, canonicalBytes } from '#content-storage';
import { type Actor, Clock, type Hex, newId } from '#kernel';
import { type CallNote, CallNotes } from '../contract.js';

@Injectable()
export class StoreCallNote extends CallNotes {
  constructor(
    private readonly contents: ContentStore,
    private readonly chain: ChainProfile,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async store(
    actor: Actor,
    { contract, from, call, metadata }: CallNote,
  ): Promise<{ readonly ipfsCid: string; readonly dataHash: Hex }> {
    const { cid, dataHash } = await this.contents.put(
      canonicalBytes({
        ...call,
        v: 1,
        id: newId(), // random, so that nobody can guess the CID from guessable metadata
        tenant: actor.tenantSlug,
        chainId: this.chain.chainId,
        contract,
        preparedBy: from,
        preparedAt: this.clock.now().toISOString(),
        metadata,
      }),
    );
    return { ipfsCid: cid, dataHash };
  }
}
