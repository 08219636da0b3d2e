import { type Actor, isUuid } from '#kernel';
import { UnitOfWork } from '#persistence';
import { readsAll } from '#traceability';
import { Injectable } from '@nestjs/common';
import { StoredFiles } from '../contract.js';
import { documentNotFound } from '../errors.js';
import type { DocumentRecord } from './document.js';
import { DocumentQueries, type DocumentReader } from './documents.queries.js';

/** The same rule as of the values of events: everybody of the tenant reads what is public, the rest its organisation and who reads all. */
export const readerOf = (actor: Actor): DocumentReader => ({ all: readsAll(actor, null), orgId: actor.orgId, id: actor.id });

@Injectable()
export class ReadDocument {
  constructor(
    private readonly work: UnitOfWork,
    private readonly documents: DocumentQueries,
    private readonly files: StoredFiles,
  ) {}

  /** @throws DomainError 404 `document_not_found`, also for one that the caller may not read */
  async read(actor: Actor, id: string): Promise<DocumentRecord> {
    const document = isUuid(id) ? await this.work.read(actor, (tx) => this.documents.byId(tx, readerOf(actor), id)) : null;
    if (!document) throw documentNotFound(id);
    return document;
  }

  bytes(actor: Actor, { fileId }: DocumentRecord): Promise<AsyncIterable<Buffer>> {
    return this.files.read(actor, fileId);
  }
}
