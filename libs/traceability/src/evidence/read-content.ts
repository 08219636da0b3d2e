import { Injectable } from '@nestjs/common';
import { ContentStore, CorruptContent } from '#content-storage';
import { type Actor, ROLES } from '#kernel';
import { UnitOfWork } from '#persistence';
import { contentCorrupt, contentNotFound, contentRestricted } from '../errors.js';
import { readsAll } from '../process-maps/visibility.js';
import { FindEvent } from '../events/find-event.js';

/** The stored bytes of an event, for those who may read all of it: a part of them would not have the hash. */
@Injectable()
export class ReadContent {
  constructor(
    private readonly work: UnitOfWork,
    private readonly find: FindEvent,
    private readonly contents: ContentStore,
  ) {}

  /** @throws DomainError 404 `event_not_found`, `content_not_found`, 403 `process_out_of_scope`, `content_restricted`, 502 `content_corrupt` */
  async read(actor: Actor, id: string): Promise<{ readonly bytes: Uint8Array; readonly cid: string }> {
    const event = await this.work.inTransaction(actor, (tx) => this.find.byId(tx, actor, id, ROLES));
    if (!readsAll(actor, event.orgId)) throw contentRestricted(event.id);
    const bytes = event.ipfsCid && (await this.contents.get(event.ipfsCid).catch(asRefusal(event.id)));
    if (!bytes) throw contentNotFound(event.id);
    return { bytes, cid: event.ipfsCid };
  }
}

const asRefusal = (id: string) => (error: unknown) => {
  throw error instanceof CorruptContent ? contentCorrupt(id) : error;
};
