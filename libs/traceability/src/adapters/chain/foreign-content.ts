import { Injectable } from '@nestjs/common';
import type { TenantLogs } from '#chain';
import { ContentStore, inTime, TOO_LATE } from '#content-storage';
import { eventIdFromBytes } from '#kernel';
import { type ForeignContent, foreignContent, namesEvent } from '../../domain/projection-content.js';
import type { Recording } from '../../domain/projection-event.js';
import { derivedIn } from './batch-of-logs.js';

const AT_ONCE = 32;
/** For one answer. Whoever waited that long in vain asks for nothing more of this batch: a block must not wait for content that may exist nowhere. */
const LIMIT_MS = 1_000;

/** Fetches what events point at that were recorded without us. Unknown, late, false or unreachable content is no content. */
@Injectable()
export class ForeignContents {
  /** Of events that were looked at before their turn: gone with them. */
  private readonly ahead = new WeakMap<Recording, ForeignContent>();

  constructor(private readonly store: ContentStore) {}

  /** By the event's id on chain. */
  async of(batch: TenantLogs, foreign: readonly Recording[]): Promise<ReadonlyMap<string, ForeignContent>> {
    const found = new Map<string, ForeignContent>();
    const waiting: Recording[] = [];
    for (const recording of foreign) {
      const content = this.ahead.get(recording);
      if (content) found.set(recording.chainEventId, content);
      else waiting.push(recording);
    }
    for (const [recording, content] of await this.fetch(batch, waiting)) found.set(recording.chainEventId, content);
    return found;
  }

  /** What `of` will be asked for next, most likely. */
  async lookAhead(batch: TenantLogs, recordings: readonly Recording[]): Promise<void> {
    for (const [recording, content] of await this.fetch(batch, recordings)) this.ahead.set(recording, content);
  }

  private async fetch(batch: TenantLogs, recordings: readonly Recording[]): Promise<(readonly [Recording, ForeignContent])[]> {
    const found: (readonly [Recording, ForeignContent])[] = [];
    let asked = 0;
    const ask = async (): Promise<void> => {
      for (let next = recordings[asked++]; next; next = recordings[asked++]) {
        const bytes = await inTime(this.store.get(next.cid), LIMIT_MS);
        if (bytes === TOO_LATE) return;
        const content = bytes && foreignContent(bytes, subject(batch, next));
        if (content) found.push([next, content]);
      }
    };
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, recordings.length) }, ask));
    return found;
  }
}

const subject = (batch: TenantLogs, { chainEventId }: Recording) => ({
  chainId: batch.chainId,
  contract: batch.contract,
  named: (id: string): boolean => {
    const uuid = eventIdFromBytes(chainEventId);
    return (uuid !== null && namesEvent(id, uuid, chainEventId)) || namesEvent(id, derivedIn(batch, chainEventId), chainEventId);
  },
});
