import { Injectable } from '@nestjs/common';
import { CorruptContent } from '#content-storage';
import {
  ContentFault,
  type ContentState,
  disclose,
  type Disclosure,
  type OpenedLeaf,
  type Path,
  pointerOf,
  type SealedClass,
} from '#envelope';
import { type Actor, invalidContent, ROLES } from '#kernel';
import { UnitOfWork } from '#persistence';
import { ContentKeyStore, type OpenedBlock } from '#sealed-contents';
import { contentCorrupt, contentNotFound, contentRestricted } from '../errors.js';
import { readsAll } from '../process-maps/visibility.js';
import type { CommittedRecord } from '../events/event-record.js';
import { FindEvent } from '../events/find-event.js';
import { type ReadBlock, StoredBlocksClient } from './stored-blocks.client.js';

/** A stored content as far as its reader may read it. */
export interface OpenedForReader {
  readonly version: 1 | 2;
  readonly block: string;
  readonly state: ContentState;
  /** Public words, and the opened ones for those who read all of an event. */
  readonly content: Readonly<Record<string, unknown>>;
  readonly classes: readonly SealedClass[];
}

/** Single values of a content with their proofs. */
interface DisclosedValues {
  readonly block: string;
  readonly disclosures: readonly Disclosure[];
}

/** The stored bytes of an event, and what is sealed in them for those who may read it. */
@Injectable()
export class ReadContent {
  constructor(
    private readonly work: UnitOfWork,
    private readonly find: FindEvent,
    private readonly blocks: StoredBlocksClient,
    private readonly keys: ContentKeyStore,
  ) {}

  /** @throws DomainError 404 `event_not_found`, 403 `process_out_of_scope` */
  event(actor: Actor, id: string): Promise<CommittedRecord> {
    return this.work.read(actor, (tx) => this.find.byId(tx, actor, id, ROLES));
  }

  /**
   * The bytes as they were hashed. What a block of version 2 seals nobody reads in it; one of version 1 is for those who read all of the event.
   * @throws DomainError 403 `content_restricted`, 404 `content_not_found`, 502 `content_corrupt`
   */
  async bytesOf(actor: Actor, event: CommittedRecord): Promise<Uint8Array> {
    return (await this.blockOf(actor, event)).bytes;
  }

  /** @throws DomainError as `event` and `bytesOf` */
  async opened(actor: Actor, id: string): Promise<OpenedForReader> {
    const event = await this.event(actor, id);
    const { bytes, sealed } = await this.blockOf(actor, event);
    const block = new TextDecoder().decode(bytes);
    if (sealed === null) return { version: 1, block, state: 'open', content: JSON.parse(block) as Record<string, unknown>, classes: [] };
    if (sealed instanceof ContentFault) return { version: 2, block, state: 'content_invalid', content: {}, classes: [] };
    const { state, envelope, leaves, held } = sealed;
    const content = (held?.erased ?? []).reduce(withErased, sealed.content);
    if (!readsAll(actor, event.orgId)) return { version: 2, block, state, content: envelope.public, classes: [] };
    return { version: 2, block, state, content, classes: [...new Set(leaves.map((leaf) => leaf.class))].toSorted() };
  }

  /** @param pointers the empty one is that of the whole content @throws DomainError 422 `invalid_content` for a pointer at which nothing sealed can be read, 403 `content_restricted` */
  async disclosures(actor: Actor, id: string, pointers: readonly string[]): Promise<DisclosedValues> {
    const event = await this.event(actor, id);
    if (!readsAll(actor, event.orgId)) throw contentRestricted(event.id);
    const { bytes, sealed } = await this.blockOf(actor, event);
    const block = isOpened(sealed) ? sealed : null;
    const chosen = pointers.map((pointer) => (block?.leaves ?? []).filter((leaf) => isUnder(leaf, pointer)));
    const missing = pointers.filter((pointer, i) => pointer !== '' && chosen[i]!.length === 0);
    if (missing.length > 0) throw invalidContent(missing.map(nothingSealed));
    const leaves = [...new Set(chosen.flat())];
    if (leaves.some((leaf) => leaf.class === 'personal'))
      await this.work.write(actor, (tx) => this.keys.noteDisclosure(tx, event.ipfsCid!));
    return { block: new TextDecoder().decode(bytes), disclosures: block?.tree ? disclose(leaves, block.tree) : [] };
  }

  private async blockOf(actor: Actor, { id, ipfsCid, orgId }: CommittedRecord): Promise<ReadBlock> {
    const block = ipfsCid && (await this.blocks.read(actor, ipfsCid).catch(asRefusal(id)));
    if (!block) throw contentNotFound(id);
    if (block.sealed === null && !readsAll(actor, orgId)) throw contentRestricted(id);
    return block;
  }
}

const isOpened = (sealed: ReadBlock['sealed']): sealed is OpenedBlock => sealed !== null && !(sealed instanceof ContentFault);

/** In evidence an erased value says so; elsewhere it is null. */
const withErased = <T>(value: T, [member, ...rest]: Path): T => {
  if (member === undefined) return { erased: true } as T;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.with(Number(member), withErased(value[Number(member)] as unknown, rest)) as T;
  const inner = withErased((value as Record<string, unknown>)[member], rest);
  return Object.defineProperty({ ...value }, member, { value: inner, enumerable: true, configurable: true, writable: true });
};

const isUnder = ({ path }: OpenedLeaf, pointer: string): boolean => `${pointerOf(path)}/`.startsWith(`${pointer}/`);

const nothingSealed = (pointer: string) => ({
  pointer,
  code: 'nothing_sealed',
  message: 'no sealed value can be read there: it is public, sealed elsewhere, or not in the content',
});

const asRefusal = (id: string) => (error: unknown) => {
  throw error instanceof CorruptContent ? contentCorrupt(id) : error;
};
