import { type Actor, Clock, newId } from '#kernel';
import { StorageQuota } from '#prepare';
import { Injectable } from '@nestjs/common';
import { FileScan, StoredFiles } from '../contract.js';
import { documentTypeRefused } from '../errors.js';
import type { DocumentRecord, DocumentVisibility } from './document.js';
import { DocumentQueries } from './documents.queries.js';
import { kindOf } from './media-type.js';

export interface UploadedDocument {
  readonly name: string;
  readonly bytes: Buffer;
  readonly sha256: string;
  readonly visibility: DocumentVisibility;
  readonly type: string | null;
  readonly number: string | null;
}

@Injectable()
export class StoreDocument {
  constructor(
    private readonly files: StoredFiles,
    private readonly scan: FileScan,
    private readonly documents: DocumentQueries,
    private readonly quota: StorageQuota,
    private readonly clock: Clock,
  ) {}

  /** @returns the document, and whether it is new: who uploads the same again gets the one of before */
  async store(
    actor: Actor,
    { bytes, sha256, ...said }: UploadedDocument,
  ): Promise<{ readonly document: DocumentRecord; readonly isNew: boolean }> {
    const kind = kindOf(bytes);
    if ('refused' in kind) throw documentTypeRefused(kind.refused);
    const scanned = await this.scan.check(bytes);
    return this.files.store(actor, { bytes, sha256, shared: true }, async (tx, file, isNew) => {
      const document: DocumentRecord = {
        ...{ id: newId(), fileId: file.id, sha256, size: file.size, orgId: actor.orgId, scanned, ...said },
        ...{ mediaType: kind.mediaType, uploadedBy: actor.id, uploadedAt: this.clock.now() },
      };
      const before = await this.documents.same(tx, document);
      if (before) return { document: before, isNew: false };
      // The bytes are kept once, and each organisation that says they are its document pays for them.
      if (!isNew && !(await this.documents.isKnownTo(tx, document))) await this.quota.take(tx, { bytes: file.size });
      await this.documents.insert(tx, document);
      return { document, isNew: true };
    });
  }
}
