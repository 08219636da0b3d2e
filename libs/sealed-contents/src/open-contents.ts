import { Injectable } from '@nestjs/common';
import {
  ContentFault,
  type ContentState,
  type Envelope,
  openContent,
  type OpenedContent,
  type OpenedLeaf,
  readEnvelope,
  type TreeHash,
} from '#envelope';
import type { TenantScope } from '#kernel';
import type { TenantTx } from '#persistence';
import { holdErasures } from './erasure-fence.js';
import { ContentKeyStore, type HeldKeys } from './content-key-store.js';

export interface OpenedBlock {
  readonly envelope: Envelope;
  readonly state: ContentState;
  /** Public words, and those that were opened; an erased one is null. */
  readonly content: OpenedContent['content'];
  readonly leaves: readonly OpenedLeaf[];
  /** Hashes of all leaves; null where no keys are here. */
  readonly tree: readonly TreeHash[] | null;
  /** What its keys were and are, for who destroys some; null where no keys are here. */
  readonly held: HeldKeys | null;
}

interface StoredBlock {
  readonly cid: string;
  readonly bytes: Uint8Array;
}

/** Opens sealed blocks with the keys of their tenant. */
@Injectable()
export class OpenContents {
  constructor(private readonly keys: ContentKeyStore) {}

  /**
   * Which contents have other erased values now than when they were opened. Until the transaction ends, nothing of the tenant is erased: a row
   * that is written from what was opened cannot bring a value back.
   */
  async outdated(tx: TenantTx, known: readonly { readonly cid: string; readonly erased: number }[]): Promise<ReadonlySet<string>> {
    await holdErasures(tx);
    if (known.length === 0) return new Set();
    const now = await this.keys.erasedAmong(
      tx,
      known.map(({ cid }) => cid),
    );
    return new Set(known.filter(({ cid, erased }) => (now.get(cid) ?? 0) !== erased).map(({ cid }) => cid));
  }

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
  const closed = { envelope, content: envelope.public, leaves: [], tree: null, held: null };
  if (envelope.root === null) return { ...closed, state: 'open' };
  if (held === undefined) return { ...closed, state: 'sealed_elsewhere' };
  if (held === 'key_lost') return { ...closed, state: held };
  const { keys, hidden, erased } = held;
  const whole = attempt(() => openContent(envelope, { tenant: tenantId, keys, hidden, erased }));
  if (whole instanceof ContentFault) return { ...closed, state: 'content_invalid' };
  return { envelope, ...whole, held, state: erased.length > 0 ? 'erased' : 'open' };
}

function attempt<T>(work: () => T): T | ContentFault {
  try {
    return work();
  } catch (error) {
    if (error instanceof ContentFault) return error;
    throw error;
  }
}
