import type { Page, PageRequest } from '#kernel';
import { type TenantTx, pageOf } from '#persistence';
import { Injectable } from '@nestjs/common';
import type { DocumentRecord } from './document.js';

/** Which documents the caller may read. */
export interface DocumentReader {
  readonly all: boolean;
  readonly orgId: string | null;
  readonly id: string;
}

export interface DocumentFilter {
  readonly sha256: string | null;
  readonly type: string | null;
  readonly number: string | null;
}

type DocumentRow = Omit<DocumentRecord, 'size'> & { readonly size: string };

const COLUMNS = `d.id, d.file_id as "fileId", d.org_id as "orgId", d.visibility, d.name, d.media_type as "mediaType", d.type, d.number, d.scanned,
  d.uploaded_by as "uploadedBy", d.uploaded_at as "uploadedAt", f.sha256, f.size`;
const FROM = 'documents.document d join documents.file f on f.tenant_id = d.tenant_id and f.id = d.file_id';
/** Of the tenant `$1`, as far as the reader `$2` to `$4` may read them. */
const READABLE = `d.tenant_id = $1 and ($2::boolean or d.visibility = 'public' or d.org_id = $3::uuid or d.uploaded_by = $4)`;

@Injectable()
export class DocumentQueries {
  async insert(tx: TenantTx, document: Omit<DocumentRecord, 'sha256' | 'size'>): Promise<void> {
    const { id, fileId, orgId, visibility, name, mediaType, type, number, scanned, uploadedBy, uploadedAt } = document;
    await tx.sql(
      `insert into documents.document
         (tenant_id, id, file_id, org_id, visibility, name, media_type, type, number, scanned, uploaded_by, uploaded_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
      [tx.tenantId, id, fileId, orgId, visibility, name, mediaType, type, number, scanned, uploadedBy, uploadedAt],
    );
  }

  /** The one that says the same of the same file. */
  async same(tx: TenantTx, { fileId, orgId, visibility, type, number }: Omit<DocumentRecord, 'id'>): Promise<DocumentRecord | null> {
    const [row] = await tx.sql<DocumentRow>(
      `select ${COLUMNS} from ${FROM} where d.tenant_id = $1 and d.file_id = $2 and d.org_id is not distinct from $3::uuid
         and d.visibility = $4 and d.type is not distinct from $5 and d.number is not distinct from $6 limit 1`,
      [tx.tenantId, fileId, orgId, visibility, type, number],
    );
    return row ? documentOf(row) : null;
  }

  /** Whether the organisation has a document of this file. */
  async isKnownTo(tx: TenantTx, { fileId, orgId }: Pick<DocumentRecord, 'fileId' | 'orgId'>): Promise<boolean> {
    const [row] = await tx.sql(
      'select 1 from documents.document where tenant_id = $1 and file_id = $2 and org_id is not distinct from $3::uuid limit 1',
      [tx.tenantId, fileId, orgId],
    );
    return row !== undefined;
  }

  async byId(tx: TenantTx, reader: DocumentReader, id: string): Promise<DocumentRecord | null> {
    const [row] = await tx.sql<DocumentRow>(`select ${COLUMNS} from ${FROM} where ${READABLE} and d.id = $5`, [
      ...parametersOf(tx, reader),
      id,
    ]);
    return row ? documentOf(row) : null;
  }

  /** Newest first. */
  async list(tx: TenantTx, reader: DocumentReader, filter: DocumentFilter, request: PageRequest): Promise<Page<DocumentRecord>> {
    const page = await pageOf<DocumentRow>(tx, request, {
      columns: COLUMNS,
      from: `${FROM} where ${READABLE} and ($5::text is null or f.sha256 = $5) and ($6::text is null or d.type = $6)
        and ($7::text is null or d.number = $7)`,
      order: 'd.uploaded_at desc, d.id',
      parameters: [...parametersOf(tx, reader), filter.sha256, filter.type, filter.number],
    });
    return { ...page, data: page.data.map(documentOf) };
  }

  /** @returns whether other documents have the same file */
  async delete(tx: TenantTx, { id, fileId }: DocumentRecord): Promise<boolean> {
    await tx.sql('delete from documents.document where tenant_id = $1 and id = $2', [tx.tenantId, id]);
    const [other] = await tx.sql('select 1 from documents.document where tenant_id = $1 and file_id = $2 limit 1', [tx.tenantId, fileId]);
    return other !== undefined;
  }
}

const parametersOf = (tx: TenantTx, { all, orgId, id }: DocumentReader): readonly unknown[] => [tx.tenantId, all, orgId, id];
const documentOf = (row: DocumentRow): DocumentRecord => ({ ...row, size: Number(row.size) });
