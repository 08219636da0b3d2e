import { AuditLog } from '#identity';
import { type Actor, coversEveryProcess, roleRequired } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { Injectable } from '@nestjs/common';
import { StoredFiles } from '../contract.js';
import { documentNotFound } from '../errors.js';
import { FileQueries } from '../storage/files.queries.js';
import type { DocumentRecord } from './document.js';
import { DocumentQueries } from './documents.queries.js';
import { readerOf } from './read-document.js';

/** Erases a document for good: with the last one of a file, its key and its bytes go too. */
@Injectable()
export class DeleteDocument {
  constructor(
    private readonly work: UnitOfWork,
    private readonly documents: DocumentQueries,
    private readonly fileQueries: FileQueries,
    private readonly files: StoredFiles,
    private readonly audit: AuditLog,
  ) {}

  /** @throws DomainError 404 `document_not_found`, 403 `role_required` for one of another organisation */
  async delete(actor: Actor, id: string): Promise<void> {
    const deleteBytes = await this.work.inTransaction(actor, async (tx) => {
      const document = await this.documents.byId(tx, readerOf(actor), id);
      if (!document) throw documentNotFound(id);
      if (!mayDelete(actor, document)) throw roleRequired(['COMPLIANCE', 'TENANT_ADMIN']);
      return this.deleteIn(tx, actor, document);
    });
    await deleteBytes();
  }

  private async deleteIn(tx: TenantTx, actor: Actor, document: DocumentRecord): Promise<() => Promise<void>> {
    await this.fileQueries.lock(tx, document.fileId);
    const isUsed = await this.documents.delete(tx, document);
    const { id, sha256 } = document;
    await this.audit.record(tx, actor.tenantId, actor, { action: 'document.deleted', subject: id, details: { sha256 } });
    return isUsed ? () => Promise.resolve() : this.files.remove(tx, document.fileId, actor.id);
  }
}

/** A document belongs to no process, so that of another organisation is only for who covers all of them. */
const mayDelete = (actor: Actor, { orgId }: DocumentRecord): boolean =>
  coversEveryProcess(actor, ['COMPLIANCE', 'TENANT_ADMIN']) || (orgId !== null && actor.orgId === orgId);
