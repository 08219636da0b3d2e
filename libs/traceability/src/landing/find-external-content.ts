import { Injectable } from '@nestjs/common';
import type { LogBatch } from '#chain';
import { ContentStore, inTime, TOO_LATE } from '#content-storage';
import { ContentFault, ENVELOPE_VERSION, versionOf } from '#envelope';
import { eventIdFromBytes } from '#kernel';
import type { TenantTx } from '#persistence';
import { OpenContents } from '#sealed-contents';
import { type ContentSubject, type ExternalContent, externalContent, namesEvent, openedContent } from './external-content.js';
import type { Recording } from '../events/event-record.js';
import { derivedIn } from './read-log-batch.js';

const AT_ONCE = 32;
/** For one answer. After a wait that long without one, nothing more of this batch is fetched: a block must not wait for content that may exist nowhere. */
const LIMIT_MS = 1_000;

/** Fetches what events point at that were recorded without us. Unknown, late, false or unreachable content is no content. */
@Injectable()
export class ExternalContents {
  /** Content of events of the next batch, fetched in advance. */
  private readonly ahead = new WeakMap<Recording, ExternalContent>();

  constructor(
    private readonly store: ContentStore,
    private readonly opening: OpenContents,
  ) {}

  /** By the event's id on chain. Until the transaction ends, none of their values is erased. */
  async of(tx: TenantTx, batch: LogBatch, recordings: readonly Recording[]): Promise<ReadonlyMap<string, ExternalContent>> {
    const found = new Map<string, ExternalContent>();
    const waiting: Recording[] = [];
    if (recordings.length === 0) return found;
    const ahead = recordings.flatMap((recording) => {
      const content = this.ahead.get(recording);
      return content?.version === 2 ? [{ cid: recording.cid, erased: content.erased.length }] : [];
    });
    const outdated = await this.opening.outdated(tx, ahead);
    for (const recording of recordings) {
      const content = this.ahead.get(recording);
      if (content && !outdated.has(recording.cid)) found.set(recording.chainEventId, content);
      else waiting.push(recording);
    }
    for (const [recording, content] of await this.fetch(batch, waiting, tx)) found.set(recording.chainEventId, content);
    return found;
  }

  /** What `of` will be asked for next, most likely. */
  async fetchAhead(batch: LogBatch, recordings: readonly Recording[]): Promise<void> {
    for (const [recording, content] of await this.fetch(batch, recordings)) this.ahead.set(recording, content);
  }

  private async fetch(
    batch: LogBatch,
    recordings: readonly Recording[],
    tx?: TenantTx,
  ): Promise<(readonly [Recording, ExternalContent])[]> {
    const found: (readonly [Recording, ExternalContent])[] = [];
    const sealed: SealedBlock[] = [];
    let asked = 0;
    const ask = async (): Promise<void> => {
      for (let next = recordings[asked++]; next; next = recordings[asked++]) {
        const bytes = await inTime(this.store.get(next.cid), LIMIT_MS);
        if (bytes === TOO_LATE) return;
        if (bytes && versionOf(bytes) === ENVELOPE_VERSION) sealed.push({ recording: next, cid: next.cid, bytes });
        const content = bytes && externalContent(bytes, subject(batch, next));
        if (content) found.push([next, content]);
      }
    };
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, recordings.length) }, ask));
    return [...found, ...(await this.open(batch, sealed, tx))];
  }

  private async open(batch: LogBatch, sealed: readonly SealedBlock[], tx?: TenantTx): Promise<(readonly [Recording, ExternalContent])[]> {
    const [first] = sealed;
    if (!first) return [];
    const opened = await this.opening.openAll(first.recording, sealed, tx);
    return sealed.flatMap(({ recording, cid }) => {
      const block = opened.get(cid)!;
      const content = block instanceof ContentFault ? null : openedContent(block, subject(batch, recording));
      return content ? [[recording, content] as const] : [];
    });
  }
}

/** A block of version 2 that a recording points at. */
interface SealedBlock {
  readonly recording: Recording;
  readonly cid: string;
  readonly bytes: Uint8Array;
}

const subject = (batch: LogBatch, { chainEventId }: Recording): ContentSubject => ({
  chainId: batch.chainId,
  contract: batch.contract,
  named: (id: string): boolean => {
    const uuid = eventIdFromBytes(chainEventId);
    return (uuid !== null && namesEvent(id, uuid, chainEventId)) || namesEvent(id, derivedIn(batch, chainEventId), chainEventId);
  },
});
