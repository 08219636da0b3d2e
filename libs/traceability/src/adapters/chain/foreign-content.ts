import { Injectable } from '@nestjs/common';
import type { TenantLogs } from '#chain';
import { ContentStore } from '#content-storage';
import { type ForeignContent, contentEventIds, foreignContent } from '../../domain/projection-content.js';
import type { Recording } from '../../domain/projection-event.js';
import { candidateIds } from './batch-of-logs.js';

const AT_ONCE = 16;
/** For one answer. Whoever waited that long in vain asks for nothing more of this batch: a block must not wait for content that may exist nowhere. */
const LIMIT_MS = 1_000;
const TOO_LATE = Symbol('too late');

/** Fetches what events point at that were recorded without us. Unknown, late, false or unreachable content is no content. */
@Injectable()
export class ForeignContents {
  constructor(private readonly store: ContentStore) {}

  async of(batch: TenantLogs, foreign: readonly Recording[]): Promise<ReadonlyMap<string, ForeignContent>> {
    const found = new Map<string, ForeignContent>();
    const waiting = [...foreign];
    const ask = async (): Promise<void> => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const bytes = await inTime(this.store.get(next.cid));
        if (bytes === TOO_LATE) return;
        const content = bytes && foreignContent(bytes, subject(batch, next));
        if (content) found.set(next.chainEventId, content);
      }
    };
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, foreign.length) }, ask));
    return found;
  }
}

const subject = (batch: TenantLogs, { chainEventId }: Recording) => ({
  chainId: batch.chainId,
  contract: batch.contract,
  eventIds: candidateIds(batch, chainEventId).flatMap((id) => contentEventIds(id, chainEventId)),
});

async function inTime(answer: Promise<Uint8Array | null>): Promise<Uint8Array | null | typeof TOO_LATE> {
  let timer: NodeJS.Timeout | undefined;
  // A process that was busy all the while finds the time over before it sees answers that are there: they are looked at once more.
  const limit = new Promise<typeof TOO_LATE>((resolve) => {
    timer = setTimeout(() => setTimeout(() => setImmediate(resolve, TOO_LATE)), LIMIT_MS);
  });
  return Promise.race([answer.catch(() => null), limit]).finally(() => clearTimeout(timer));
}
