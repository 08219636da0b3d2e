import { createHash } from 'node:crypto';
import { ContentStore, CorruptContent, addressOf } from '#content-storage';
import { canonicalJson } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Injectable } from '@nestjs/common';
import type { PublicPassport } from '../composing/passport.js';
import { integrityHidden, passportNotFound } from '../errors.js';
import { BUNDLE_FORMATS, type Bundle } from '../verifier/bundle.js';
import { EvidenceClient } from './evidence.client.js';
import type { ProvenEvent } from './evidence.js';
import { EvidenceQueries } from './evidence.queries.js';

/** Events beyond the lot's own in one file: each has a receipt and a proof of some kilobytes. */
const MOST_EVENTS = 200;

interface BundleRequest {
  readonly tenantId: string;
  readonly tokenId: bigint;
  readonly tlc: string;
  readonly passport: PublicPassport;
}

/** One file that needs nothing else to be checked: words, bytes, hashes, receipts and headers (docs/explanation/integrity.md). */
@Injectable()
export class MakeBundle {
  constructor(
    private readonly work: UnitOfWork,
    private readonly evidence: EvidenceQueries,
    private readonly chain: EvidenceClient,
    private readonly contents: ContentStore,
  ) {}

  /**
   * @param tier `public`: the lot's own event, without its bytes; `restricted`: the whole lineage with all bytes
   * @returns canonical JSON @throws DomainError 404 `integrity_hidden`; EngineUnavailable
   */
  async make({ tenantId, tokenId, tlc, passport }: BundleRequest, tier: Bundle['tier']): Promise<string> {
    const { integrity } = passport;
    if (integrity === null) throw integrityHidden();
    const most = tier === 'public' ? 0 : MOST_EVENTS;
    const lineage = await this.work.inSnapshot({ tenantId }, (tx) => this.evidence.lineage(tx, tokenId, tlc, most));
    if (!lineage) throw passportNotFound();
    const { events, splits, blocks } = await this.chain.prove(lineage.events, lineage.splits);
    const onChain = new Map(events.map(({ id, eventId }) => [id, eventId]));
    const text = canonicalJson(passport);
    const content: Omit<Bundle, 'digest'> = {
      format: BUNDLE_FORMATS[splits.length === 0 ? 0 : 1],
      tier,
      passport: { text, cid: addressOf(Buffer.from(text)).cid },
      chain: { chainId: integrity.chainId, contract: integrity.contract },
      events: await Promise.all(events.map((event) => this.bundled(event, tier))),
      lineage: {
        complete: lineage.complete,
        edges: lineage.edges.map(({ from, to, id }) => ({ from, to, eventId: onChain.get(id)! })),
        ...(splits.length > 0 && { splits }),
      },
      blocks,
    };
    const digest = createHash('sha256').update(canonicalJson(content)).digest('hex');
    return canonicalJson({ ...content, digest: `0x${digest}` });
  }

  private async bundled(event: ProvenEvent, tier: Bundle['tier']): Promise<Bundle['events'][number]> {
    const { eventId, cid, dataHash, commitment, blockHash, blockNumber, transactionIndex, proof } = event;
    const text = tier === 'public' ? null : await this.textOf(cid);
    return { eventId, cid, dataHash, text, commitment, blockHash, blockNumber, transactionIndex, proof };
  }

  /** Null where the store has no intact bytes: the file says that they are left out, and everything else still holds. */
  private async textOf(cid: string): Promise<string | null> {
    try {
      const bytes = await this.contents.get(cid);
      return bytes && new TextDecoder().decode(bytes);
    } catch (error) {
      if (error instanceof CorruptContent) return null;
      throw error;
    }
  }
}
