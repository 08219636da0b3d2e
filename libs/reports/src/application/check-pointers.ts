import { createHash } from 'node:crypto';
import { ChainHead } from '#chain';
import { ContentStore, CorruptContent, addressOf, cidFromDataHash, isContentCid } from '#content-storage';
import { Clock, type TenantScope } from '#kernel';
import { UnitOfWork } from '#persistence';
import { wrongIdentifier } from '#traceability';
import { Injectable } from '@nestjs/common';
import { type Stored, bytesLink } from '../domain/data-reference/bytes-link.js';
import { documentLink } from '../domain/data-reference/document-link.js';
import { documentsOf } from '../domain/data-reference/documents-of.js';
import { dataHashLink, txLink } from '../domain/data-reference/event-links.js';
import { extLink, identifiersIn } from '../domain/data-reference/ext-link.js';
import { nftLink } from '../domain/data-reference/nft-link.js';
import { type CheckedPointer, checked } from '../domain/data-reference/pointer.js';
import { ChainEvidence, type PointingEvent, type PointingLot, Pointers } from '../pointers.ports.js';

/** Blocks asked of the store at a time. */
const AT_A_TIME = 8;

interface Read {
  readonly stored: Stored;
  readonly latencyMs: number;
}

/**
 * Asks store and chain anew and writes down what was found. Engines are asked outside of transactions; one that does not answer is no
 * finding, so nothing is written then.
 */
@Injectable()
export class CheckPointers {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly pointers: Pointers,
    private readonly contents: ContentStore,
    private readonly evidence: ChainEvidence,
    private readonly chainHead: ChainHead,
    private readonly clock: Clock,
  ) {}

  /** @throws EngineUnavailable */
  async events(scope: TenantScope, events: readonly PointingEvent[]): Promise<void> {
    if (events.length === 0) return;
    const documents = new Map(
      events.map((event) => [event.id, documentsOf(event.documents, isContentCid, (hash) => cidFromDataHash(`0x${hash}`))]),
    );
    const cids = events.flatMap(({ id, ipfsCid }) => [ipfsCid, ...documents.get(id)!.map(({ cid }) => cid)]);
    const began = performance.now();
    const [reads, receipts, others] = await Promise.all([
      this.readAll(cids.filter((cid) => cid !== null)),
      this.evidence.receipts(events),
      this.unitOfWork.inTransaction(scope, (tx) => this.pointers.otherContainers(tx, events)),
    ]);
    const chainMs = Math.round(performance.now() - began);
    const found = events.flatMap((event): CheckedPointer[] => {
      const read = event.ipfsCid === null ? undefined : reads.get(event.ipfsCid);
      const receipt = receipts.get(event.id) ?? null;
      const good = read?.stored.found === 'bytes' ? `0x${read.stored.sha256}` : null;
      const { subject, recorded } = event;
      return [
        ...(event.ipfsCid === null || !read
          ? []
          : [checked('cid', subject, event.ipfsCid, bytesLink(event.ipfsCid, read.stored), read.latencyMs)]),
        checked('dataHash', subject, recorded.dataHash, dataHashLink(recorded, receipt, good), chainMs),
        checked('tx', subject, recorded.txHash, txLink(recorded, receipt), chainMs),
        ...documents.get(event.id)!.map((document) => {
          const bytes = document.cid === null ? undefined : reads.get(document.cid);
          const value = document.derived || document.cid === null ? (document.elsewhere ?? document.sha256!) : document.cid;
          return checked('document', subject, value, documentLink(document, bytes?.stored ?? null), bytes?.latencyMs ?? null);
        }),
        ...identifiersIn(event.metadata).map((one) => {
          const usedBy = one.key === 'sscc' && event.kind === 'aggregation' ? (others.get(`${event.id}|${one.value}`) ?? null) : null;
          return checked('ext', subject, `${one.key}:${one.value}`, extLink(one, wrongIdentifier(one.key, one.value) === null, usedBy));
        }),
      ];
    });
    await this.save(scope, events, found);
  }

  /** @param block the last one that was projected when these were read. @throws EngineUnavailable */
  async lots(scope: TenantScope, lots: readonly PointingLot[], block: number): Promise<void> {
    if (lots.length === 0) return;
    const began = performance.now();
    const chain = await this.evidence.lots(lots, block);
    const latencyMs = Math.round(performance.now() - began);
    const found = lots.map(({ subject, recorded }) =>
      checked('nft', subject, subject.id, nftLink(recorded, chain.lots.get(recorded.tokenId) ?? null), latencyMs),
    );
    const known = lots.filter((_, i) => !chain.ofNow || found[i]!.status === 'ok');
    await this.save(
      scope,
      known,
      found.filter(({ status }) => !chain.ofNow || status === 'ok'),
    );
  }

  /** Reads some subjects again and checks them. */
  async again(scope: TenantScope, eventIds: readonly string[], tokenIds: readonly bigint[]): Promise<void> {
    const read = await this.unitOfWork.inSnapshot(scope, async (tx) => ({
      events: await this.pointers.events(tx, eventIds),
      lots: await this.pointers.lots(tx, tokenIds),
      block: (await this.chainHead.position(tx)).head,
    }));
    await this.events(scope, read.events);
    await this.lots(scope, read.lots, read.block);
  }

  private save(scope: TenantScope, of: readonly (PointingEvent | PointingLot)[], found: readonly CheckedPointer[]): Promise<void> {
    const subjects = of.map(({ subject }) => subject);
    return this.unitOfWork.inTransaction(scope, (tx) => this.pointers.save(tx, subjects, found, this.clock.now()));
  }

  private async readAll(cids: readonly string[]): Promise<ReadonlyMap<string, Read>> {
    const found = new Map<string, Read>();
    const waiting = [...new Set(cids)];
    const reader = async (): Promise<void> => {
      for (let cid = waiting.pop(); cid !== undefined; cid = waiting.pop()) {
        const began = performance.now();
        found.set(cid, { stored: await this.read(cid), latencyMs: Math.round(performance.now() - began) });
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, reader));
    return found;
  }

  private async read(cid: string): Promise<Stored> {
    try {
      const bytes = await this.contents.get(cid);
      if (bytes === null) return { found: 'missing' };
      return { found: 'bytes', size: bytes.length, cid: addressOf(bytes).cid, sha256: createHash('sha256').update(bytes).digest('hex') };
    } catch (error) {
      if (error instanceof CorruptContent) return { found: 'corrupt' };
      throw error;
    }
  }
}
