import { Injectable } from '@nestjs/common';
import type { TenantTx } from '#persistence';
import { ContentKeyStore, type TenantKey } from './content-key-store.js';
import { KeyLost } from './key-wrapper.js';
import { openWords } from './sealed-words.js';

/** A note of a call, as far as a search has to know it. */
interface FoundNote {
  readonly cid: string;
  /** Null where only its block says them: it is long, it came in a dump from before, or its row was changed. */
  readonly words: string | null;
}

/** What notes of calls say. No row of an event has their words, and to open each block of a large tenant takes long. */
@Injectable()
export class NoteWords {
  constructor(private readonly keys: ContentKeyStore) {}

  /** Notes that have keys, in order. */
  async notes(tx: TenantTx, after: string, limit: number): Promise<FoundNote[]> {
    const rows = await tx.sql<{ cid: string; words: Buffer | null }>(
      'select cid, words from keys.content_key where tenant_id = $1 and cid > $2 and is_note order by cid limit $3',
      [tx.tenantId, after, limit],
    );
    if (rows.length === 0) return [];
    const key = await this.keys.tenantKeyIn(tx).catch(nullIfLost);
    return rows.map(({ cid, words }) => ({ cid, words: words && key && wordsOf(words, key, tx.tenantId, cid) }));
  }
}

function wordsOf(words: Buffer, key: TenantKey, tenantId: string, cid: string): string | null {
  try {
    return openWords(words, key, tenantId, cid);
  } catch (error) {
    return nullIfLost(error);
  }
}

function nullIfLost(error: unknown): null {
  if (error instanceof KeyLost) return null;
  throw error;
}
