import type { Page, PageRequest } from '#kernel';
import { type TenantTx, pageOf } from '#persistence';
import { Injectable } from '@nestjs/common';
import type { ImportMapping } from './import-mapping.js';

export interface SavedMapping {
  readonly id: string;
  readonly name: string;
  /** Whose files it reads. */
  readonly partner: string;
  readonly version: number;
  readonly mapping: ImportMapping;
  readonly createdBy: string;
  readonly createdAt: Date;
}

const COLUMNS = 'id, name, partner, version, mapping, created_by as "createdBy", created_at as "createdAt"';

/** Mappings that are kept for the files of a partner. A version never changes. */
@Injectable()
export class MappingQueries {
  /** The next version of its name and partner; one at a time. */
  async insert(tx: TenantTx, one: Omit<SavedMapping, 'version' | 'createdAt'>): Promise<SavedMapping> {
    await lockMappings(tx);
    const [row] = await tx.sql<SavedMapping>(
      `insert into interchange.import_mapping (tenant_id, id, name, partner, version, mapping, created_by)
       select $1, $2, $3, $4, coalesce(max(version), 0) + 1, $5, $6 from interchange.import_mapping
       where tenant_id = $1 and name = $3 and partner = $4 returning ${COLUMNS}`,
      [tx.tenantId, one.id, one.name, one.partner, JSON.stringify(one.mapping), one.createdBy],
    );
    return row!;
  }

  async byId(tx: TenantTx, id: string): Promise<SavedMapping | null> {
    const [row] = await tx.sql<SavedMapping>(
      `select ${COLUMNS} from interchange.import_mapping where tenant_id = $1 and id = $2 and mapping is not null`,
      [tx.tenantId, id],
    );
    return row ?? null;
  }

  /** Its number stays: no other version has it. With the last version the name and the partner go, which may be of a person. @returns whether it was there */
  async delete(tx: TenantTx, id: string): Promise<boolean> {
    await lockMappings(tx);
    const [row] = await tx.sql<{ name: string; partner: string }>(
      'update interchange.import_mapping set mapping = null where tenant_id = $1 and id = $2 and mapping is not null returning name, partner',
      [tx.tenantId, id],
    );
    if (row === undefined) return false;
    await tx.sql(
      `update interchange.import_mapping set name = '', partner = '' where tenant_id = $1 and name = $2 and partner = $3 and not exists (
         select from interchange.import_mapping m where m.tenant_id = $1 and m.name = $2 and m.partner = $3 and m.mapping is not null)`,
      [tx.tenantId, row.name, row.partner],
    );
    return true;
  }

  /** By partner and name, the newest version first. */
  list(
    tx: TenantTx,
    filter: { readonly name: string | null; readonly partner: string | null },
    request: PageRequest,
  ): Promise<Page<SavedMapping>> {
    return pageOf<SavedMapping>(tx, request, {
      columns: COLUMNS,
      from: 'interchange.import_mapping where tenant_id = $1 and mapping is not null and ($2::text is null or name = $2) and ($3::text is null or partner = $3)',
      order: 'partner, name, version desc',
      parameters: [tx.tenantId, filter.name, filter.partner],
    });
  }
}

/** One at a time saves or deletes one. */
async function lockMappings(tx: TenantTx): Promise<void> {
  await tx.sql('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`import_mapping ${tx.tenantId}`]);
}
