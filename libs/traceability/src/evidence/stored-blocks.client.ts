import { Injectable } from '@nestjs/common';
import { ContentStore, CorruptContent, addressOf } from '#content-storage';
import { ContentFault, type ContentState, ENVELOPE_VERSION, versionOf } from '#envelope';
import { EngineUnavailable, type TenantScope } from '#kernel';
import { OpenContents, type OpenedBlock } from '#sealed-contents';
import type { SealedWords, StoredBytes } from './verification.js';

/** A stored block; of one of version 2 also what its keys open, or what is wrong with it. */
export interface ReadBlock {
  readonly bytes: Uint8Array;
  readonly sealed: OpenedBlock | ContentFault | null;
}

const STATES = {
  ...{ open: 'open', erased: 'erased', sealed_elsewhere: 'sealed', key_lost: 'sealed', content_invalid: 'fault' },
} as const satisfies Readonly<Record<ContentState, SealedWords['state']>>;

/** Blocks of the store, opened with the keys of their tenant. */
@Injectable()
export class StoredBlocksClient {
  constructor(
    private readonly contents: ContentStore,
    private readonly opening: OpenContents,
  ) {}

  /** Null for a missing one. @throws CorruptContent, EngineUnavailable */
  async read(scope: TenantScope, cid: string): Promise<ReadBlock | null> {
    const bytes = await this.contents.get(cid);
    if (!bytes) return null;
    if (versionOf(bytes) !== ENVELOPE_VERSION) return { bytes, sealed: null };
    return { bytes, sealed: (await this.opening.openAll(scope, [{ cid, bytes }])).get(cid)! };
  }

  /** What there is to verify; nothing of the store is an error. */
  async found(scope: TenantScope, cid: string | null): Promise<StoredBytes> {
    if (cid === null) return { found: 'missing' };
    try {
      const block = await this.read(scope, cid);
      if (!block) return { found: 'missing' };
      const { bytes, sealed } = block;
      return { found: 'bytes', bytes, cid: addressOf(bytes).cid, ...(sealed && { sealed: wordsOf(sealed) }) };
    } catch (error) {
      if (error instanceof CorruptContent) return { found: 'corrupt' };
      if (error instanceof EngineUnavailable) return { found: 'unreachable' };
      throw error;
    }
  }
}

function wordsOf(block: OpenedBlock | ContentFault): SealedWords {
  if (block instanceof ContentFault) return { id: '', state: 'fault', content: {} };
  return { id: block.envelope.id, content: block.content, state: STATES[block.state] };
}
