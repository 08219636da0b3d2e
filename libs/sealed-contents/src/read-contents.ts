import { Injectable } from '@nestjs/common';
import { ContentStore } from '#content-storage';
import { ContentFault, ENVELOPE_VERSION, versionOf } from '#envelope';
import type { TenantScope } from '#kernel';
import type { TenantTx } from '#persistence';
import { OpenContents, type OpenedBlock } from './open-contents.js';

/** Contents of both versions, for those who read their words. */
@Injectable()
export class ReadContents {
  constructor(
    private readonly contents: ContentStore,
    private readonly opening: OpenContents,
  ) {}

  /** As `ContentStore.get`. */
  get(cid: string): Promise<Uint8Array | null> {
    return this.contents.get(cid);
  }

  /**
   * The words of a block as JSON: the bytes of version 1 as they are, of version 2 what can be opened. Empty for a block that is none.
   * @param open a transaction of the tenant that is open already
   */
  async inClear(scope: TenantScope, block: { readonly cid: string; readonly bytes: Uint8Array }, open?: TenantTx): Promise<Uint8Array> {
    if (versionOf(block.bytes) !== ENVELOPE_VERSION) return block.bytes;
    const opened = (await this.opening.openAll(scope, [block], open)).get(block.cid)!;
    return Buffer.from(opened instanceof ContentFault ? '' : JSON.stringify(opened.content));
  }

  /** Stored blocks by CID, opened in a transaction; those that are missing are left out. `block` is null for one that is not of version 2. */
  async opened(tx: TenantTx, cids: readonly string[]): Promise<ReadonlyMap<string, { version: number | null; block: OpenedBlock | null }>> {
    const stored = await Promise.all(cids.map(async (cid) => ({ cid, bytes: await this.contents.get(cid) })));
    const found = stored.flatMap(({ cid, bytes }) => (bytes ? [{ cid, bytes, version: versionOf(bytes) }] : []));
    const sealed = found.filter(({ version }) => version === ENVELOPE_VERSION);
    const opened = await this.opening.openAll(tx, sealed, tx);
    return new Map(
      found.map(({ cid, version }) => {
        const block = opened.get(cid);
        return [cid, { version, block: block && !(block instanceof ContentFault) ? block : null }];
      }),
    );
  }
}
