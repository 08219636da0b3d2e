import { createHash } from 'node:crypto';
import { ContentStore, CorruptContent, addressOf } from '#content-storage';
import { ContentFault, disclose, type Disclosure, ENVELOPE_VERSION, versionOf } from '#envelope';
import { canonicalJson } from '#kernel';
import { OpenContents, type OpenedBlock } from '#sealed-contents';
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
    private readonly opening: OpenContents,
  ) {}

  /**
   * @param tier `public`: the lot's own event, without its bytes; `restricted`: the whole lineage with its blocks and their restricted values
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
    const bundled = await this.bundled(tenantId, events, tier);
    const isSealed = bundled.some(({ disclosures }) => disclosures !== undefined);
    const content: Omit<Bundle, 'digest'> = {
      format: BUNDLE_FORMATS[isSealed ? 2 : splits.length === 0 ? 0 : 1],
      tier,
      passport: { text, cid: addressOf(Buffer.from(text)).cid },
      chain: { chainId: integrity.chainId, contract: integrity.contract },
      events: bundled,
      lineage: {
        complete: lineage.complete,
        edges: lineage.edges.map(({ from, to, id }) => ({ from, to, eventId: onChain.get(id)! })),
        ...((isSealed || splits.length > 0) && { splits }),
      },
      blocks,
    };
    const digest = createHash('sha256').update(canonicalJson(content)).digest('hex');
    return canonicalJson({ ...content, digest: `0x${digest}` });
  }

  /** With disclosures where some block is sealed. */
  private async bundled(tenantId: string, events: readonly ProvenEvent[], tier: Bundle['tier']): Promise<Bundle['events']> {
    const bytes = await Promise.all(events.map(({ cid }) => (tier === 'public' ? Promise.resolve(null) : this.bytesOf(cid))));
    const blocks = events.flatMap(({ cid }, i) => {
      const block = bytes[i];
      return block && versionOf(block) === ENVELOPE_VERSION ? [{ cid, bytes: block }] : [];
    });
    const opened = await this.opening.openAll({ tenantId }, blocks);
    return events.map(({ eventId, cid, dataHash, commitment, blockHash, blockNumber, transactionIndex, proof }, i) => {
      const text = bytes[i] ? new TextDecoder().decode(bytes[i]) : null;
      const disclosures = blocks.length > 0 && { disclosures: disclosed(opened.get(cid)) };
      return { eventId, cid, dataHash, text, ...disclosures, commitment, blockHash, blockNumber, transactionIndex, proof };
    });
  }

  /** Null where the store has no intact bytes: the file says that they are left out, and everything else still holds. */
  private async bytesOf(cid: string): Promise<Uint8Array | null> {
    try {
      return await this.contents.get(cid);
    } catch (error) {
      if (error instanceof CorruptContent) return null;
      throw error;
    }
  }
}

/** What a reader of the file may read: neither values for authorities nor of persons. */
function disclosed(block: OpenedBlock | ContentFault | undefined): Disclosure[] {
  if (block === undefined || block instanceof ContentFault || block.tree === null) return [];
  const { tree, leaves } = block;
  const restricted = leaves.filter((leaf) => leaf.class === 'restricted');
  return disclose(restricted, tree);
}
