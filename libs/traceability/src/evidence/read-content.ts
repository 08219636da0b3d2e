import { Injectable } from '@nestjs/common';
import { ContentStore, CorruptContent } from '#content-storage';
import { type Actor, ROLES } from '#kernel';
import { UnitOfWork } from '#persistence';
import { contentCorrupt, contentNotFound, contentRestricted } from '../errors.js';
import { readsAll } from '../process-maps/visibility.js';
import type { CommittedRecord } from '../events/event-record.js';
import { FindEvent } from '../events/find-event.js';

/** The stored bytes of an event, for those who may read all of it: a part of them would not have the hash. */
@Injectable()
export class ReadContent {
  constructor(
    private readonly work: UnitOfWork,
    private readonly find: FindEvent,
    private readonly contents: ContentStore,
  ) {}

  /** An event whose content the caller may read. @throws DomainError 404 `event_not_found`, 403 `process_out_of_scope`, `content_restricted` */
  async event(actor: Actor, id: string): Promise<CommittedRecord> {
    const event = await this.work.read(actor, (tx) => this.find.byId(tx, actor, id, ROLES));
    if (!readsAll(actor, event.orgId)) throw contentRestricted(event.id);
    return event;
  }

  /** @throws DomainError 404 `content_not_found`, 502 `content_corrupt` */
  async bytesOf({ id, ipfsCid }: CommittedRecord): Promise<Uint8Array> {
    const bytes = ipfsCid && (await this.contents.get(ipfsCid).catch(asRefusal(id)));
    if (!bytes) throw contentNotFound(id);
    return bytes;
  }
}

const asRefusal = (id: string) => (error: unknown) => {
  throw error instanceof CorruptContent ? contentCorrupt(id) : error;
};
