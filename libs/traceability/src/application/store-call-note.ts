import { Injectable } from '@nestjs/common';
import { ChainProfile } from '#chain';
import { ContentStore, canonicalBytes } from '#content-storage';
import { Quotas } from '#identity';
import { type Actor, Clock, type Hex, invalidContent, newId } from '#kernel';
import { UnitOfWork } from '#persistence';
import { type CallNote, CallNotes } from '../contract.js';
import { textIssues } from '../domain/event-text.js';

@Injectable()
export class StoreCallNote extends CallNotes {
  constructor(
    private readonly contents: ContentStore,
    private readonly chain: ChainProfile,
    private readonly clock: Clock,
    private readonly work: UnitOfWork,
    private readonly quotas: Quotas,
  ) {
    super();
  }

  override async store(
    actor: Actor,
    { contract, from, call, metadata }: CallNote,
  ): Promise<{ readonly ipfsCid: string; readonly dataHash: Hex }> {
    // Whoever reads the note when its call lands keeps words of it in the database, which has no U+0000.
    const nul = textIssues(metadata).filter(({ code }) => code === 'nul_character');
    if (nul.length > 0) throw invalidContent(nul);
    const bytes = canonicalBytes({
      ...call,
      v: 1,
      id: newId(), // random, so that nobody can guess the CID from guessable metadata
      tenant: actor.tenantSlug,
      chainId: this.chain.chainId,
      contract,
      preparedBy: from,
      preparedAt: this.clock.now().toISOString(),
      metadata,
    });
    await this.work.inTransaction(actor, (tx) => this.quotas.take(tx, { bytes: bytes.length }));
    const { cid, dataHash } = await this.contents.put(bytes);
    return { ipfsCid: cid, dataHash };
  }
}
