import { Injectable } from '@nestjs/common';
import { type ContentAddress, ContentStore } from '#content-storage';
import type { SealedContent } from '#envelope';
import { EngineUnavailable, type Json, type TenantScope } from '#kernel';
import type { TenantTx } from '#persistence';
import { ContentKeyStore } from './content-key-store.js';
import { KeyLost } from './key-wrapper.js';

export interface StoredContents {
  /** In their order. */
  readonly addresses: readonly ContentAddress[];
  /** Must be called in the transaction that writes the first row that names the contents, before anybody gets their CID. */
  writeKeys(tx: TenantTx): Promise<void>;
}

/** Stores sealed contents: the blocks first, which harm nothing without their keys and rows; then the keys. */
@Injectable()
export class StoreContents {
  constructor(
    private readonly contents: ContentStore,
    private readonly keys: ContentKeyStore,
  ) {}

  /** Of a call, which no row of an event repeats. @param words what it says, for who searches for a person @throws as `put` */
  putNote(scope: TenantScope, note: SealedContent, words: Json): Promise<StoredContents> {
    return this.store(scope, [note], words);
  }

  /** The blocks are durable when it resolves. @throws EngineUnavailable('content_storage'), also where the tenant's key cannot be read */
  put(scope: TenantScope, sealed: readonly SealedContent[]): Promise<StoredContents> {
    return this.store(scope, sealed);
  }

  private async store(scope: TenantScope, sealed: readonly SealedContent[], note?: Json): Promise<StoredContents> {
    // Without the tenant's key nothing is stored.
    const key = await this.keys.tenantKey(scope).catch((error: unknown) => {
      throw error instanceof KeyLost ? new EngineUnavailable('content_storage', error) : error;
    });
    const addresses = await this.contents.putAll(sealed.map(({ bytes }) => bytes));
    const keyed = sealed.map(({ keys, hidden }, i) => ({ keys, hidden, cid: addresses[i]!.cid, ...(note !== undefined && { note }) }));
    return { addresses, writeKeys: (tx) => this.keys.insert(tx, key, keyed) };
  }
}
