import { Injectable } from '@nestjs/common';
import type { TenantLogs } from '#chain';
import { ContentStore } from '#content-storage';
import { type ForeignContent, contentEventIds, foreignContent } from '../../domain/projection-content.js';
import type { Recording } from '../../domain/projection-event.js';
import { candidateIds } from './batch-of-logs.js';

/** In all, for the foreign events of one batch: a block must not wait for content that may exist nowhere. */
const LIMIT_MS = 1_500;
const AT_ONCE = 16;

/** Fetches what events point at that were recorded without us. Unknown, slow, false or unreachable content is no content. */
@Injectable()
export class ForeignContents {
  constructor(private readonly store: ContentStore) {}

  async of(batch: TenantLogs, foreign: readonly Recording[]): Promise<ReadonlyMap<string, ForeignContent>> {
    const found = new Map<string, ForeignContent>();
    const waiting = [...foreign];
    const worker = async (): Promise<void> => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const content = await this.fetch(batch, next);
        if (content) found.set(next.chainEventId, content);
      }
    };
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, LIMIT_MS);
    });
    await Promise.race([limit, Promise.all(Array.from({ length: Math.min(AT_ONCE, foreign.length) }, worker))]);
    clearTimeout(timer);
    waiting.length = 0;
    return new Map(found);
  }

  private async fetch(batch: TenantLogs, recording: Recording): Promise<ForeignContent | null> {
    const bytes = await this.store.get(recording.cid).catch(() => null);
    if (!bytes) return null;
    const eventIds = candidateIds(batch, recording.chainEventId).flatMap((id) => contentEventIds(id, recording.chainEventId));
    return foreignContent(bytes, { chainId: batch.chainId, contract: batch.contract, eventIds });
  }
}
