import { Injectable } from '@nestjs/common';
import { ContentFault, type Envelope, openContent, type OpenedContent, type OpenedLeaf, readEnvelope, type TreeHash } from '#envelope';
import type { TenantScope } from '#kernel';
import type { TenantTx } from '#persistence';
import { ContentKeyStore, type HeldKeys } from './content-key-store.js';

/**
 * What is known of a block: all of it is `open`; `sealed_elsewhere` has no keys here, those of `key_lost`
 * cannot be read; of `content_invalid` the sealed part does not fit the block. None of them changes by trying again.
 */
export const CONTENT_STATES = ['open', 'sealed_elsewhere', 'key_lost', 'content_invalid'] as const;
export type ContentState = (typeof CONTENT_STATES)[number];

export interface OpenedBlock {
  readonly envelope: Envelope;
  readonly state: ContentState;
  /** Public words, and those that were opened. */
  readonly content: OpenedContent['content'];
  readonly leaves: readonly OpenedLeaf[];
  /** Hashes of all leaves; null where no keys are here. */
  readonly tree: readonly TreeHash[] | null;
}

interface StoredBlock {
  readonly cid: string;
  readonly bytes: Uint8Array;
}

/** Opens sealed blocks with the keys of their tenant. */
@Injectable()
export class OpenContents {
  constructor(private readonly keys: ContentKeyStore) {}

  /** @throws ContentFault for bytes that are no block of version 2 */
  async open(scope: TenantScope, block: StoredBlock): Promise<OpenedBlock> {
    const found = (await this.openAll(scope, [block])).get(block.cid)!;
    if (found instanceof ContentFault) throw found;
    return found;
  }

  /** With one question to the database (in `open`, where a transaction is open already). By CID; the fault of bytes that are no block of version 2. */
  async openAll(
    scope: TenantScope,
    blocks: readonly StoredBlock[],
    open?: TenantTx,
  ): Promise<ReadonlyMap<string, OpenedBlock | ContentFault>> {
    const held = await this.keys.find(
      scope,
      blocks.map(({ cid }) => cid),
      open,
    );
    return new Map(blocks.map(({ cid, bytes }) => [cid, attempt(() => opened(readEnvelope(bytes), held.get(cid), scope))]));
  }
}

function opened(envelope: Envelope, held: HeldKeys | 'key_lost' | undefined, { tenantId }: TenantScope): OpenedBlock {
  // In the clear, `null` marks an element that is sealed.
  const closed = { envelope, content: envelope.public, leaves: [], tree: null };
  if (envelope.root === null) return { ...closed, state: 'open' };
  if (held === undefined) return { ...closed, state: 'sealed_elsewhere' };
  if (held === 'key_lost') return { ...closed, state: held };
  const { keys, hidden } = held;
  const whole = attempt(() => openContent(envelope, { tenant: tenantId, keys, hidden, erased: false }));
  if (whole instanceof ContentFault) return { ...closed, state: 'content_invalid' };
  return { envelope, ...whole, state: 'open' };
}

function attempt<T>(work: () => T): T | ContentFault {
  try {
    return work();
  } catch (error) {
    if (error instanceof ContentFault) return error;
    throw error;
  }
}
