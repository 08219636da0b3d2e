import { type TenantTx, arrayParameter } from '#persistence';
import { Injectable } from '@nestjs/common';
import type { StoredFile } from '../contract.js';

interface FileRow {
  readonly id: string;
  readonly sha256: string;
  readonly size: string;
}

/** Files and the parts they have in the content store. */
@Injectable()
export class FileQueries {
  /** The shared file with these bytes. It stays until the transaction ends. */
  async lockShared(tx: TenantTx, sha256: string): Promise<StoredFile | null> {
    const [row] = await tx.sql<FileRow>(
      'select id, sha256, size from documents.file where tenant_id = $1 and sha256 = $2 and shared for update',
      [tx.tenantId, sha256],
    );
    return row ? fileOf(row) : null;
  }

  /** @returns false where a shared file has these bytes already */
  async insert(tx: TenantTx, file: StoredFile & { readonly shared: boolean }, cids: readonly string[]): Promise<boolean> {
    const { id, sha256, size, shared } = file;
    const [row] = await tx.sql(
      `insert into documents.file (tenant_id, id, sha256, size, shared) values ($1, $2, $3, $4, $5)
       on conflict (tenant_id, sha256) where shared do nothing returning id`,
      [tx.tenantId, id, sha256, size, shared],
    );
    if (!row) return false;
    await tx.sql(
      `insert into documents.part (tenant_id, file_id, place, cid)
       select $1, $2, p.place - 1, p.cid from unnest($3::text[]) with ordinality as p(cid, place)`,
      [tx.tenantId, id, arrayParameter('text', cids)],
    );
    return true;
  }

  /** CIDs of its parts in their order. */
  async parts(tx: TenantTx, fileId: string): Promise<readonly string[]> {
    const rows = await tx.sql<{ cid: string }>('select cid from documents.part where tenant_id = $1 and file_id = $2 order by place', [
      tx.tenantId,
      fileId,
    ]);
    return rows.map(({ cid }) => cid);
  }

  /** Its parts go with it. */
  async delete(tx: TenantTx, fileId: string): Promise<void> {
    await tx.sql('delete from documents.file where tenant_id = $1 and id = $2', [tx.tenantId, fileId]);
  }

  /** Until the transaction ends, nobody adds a document to it. */
  async lock(tx: TenantTx, fileId: string): Promise<void> {
    await tx.sql('select 1 from documents.file where tenant_id = $1 and id = $2 for update', [tx.tenantId, fileId]);
  }
}

const fileOf = ({ id, sha256, size }: FileRow): StoredFile => ({ id, sha256, size: Number(size) });
