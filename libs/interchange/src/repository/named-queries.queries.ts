import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import type { Parameters } from './simple-query.js';

/** A query that has a name in its tenant. */
export interface NamedQuery {
  readonly name: string;
  readonly parameters: Parameters;
  /** Of the prefixes of extensions. */
  readonly namespaces: Readonly<Record<string, string>>;
  readonly createdAt: Date;
}

interface Row extends Pick<NamedQuery, 'name' | 'createdAt'> {
  readonly query: string;
}

const COLUMNS = `name, query, created_at as "createdAt"`;

@Injectable()
export class NamedQueryQueries {
  /** @returns false where the name is taken */
  async insert(tx: TenantTx, { name, parameters, namespaces, createdAt }: NamedQuery, by: string): Promise<boolean> {
    const rows = await tx.sql(
      `insert into interchange.epcis_query (tenant_id, name, query, created_at, created_by) values ($1, $2, $3, $4, $5)
       on conflict do nothing returning name`,
      [tx.tenantId, name, JSON.stringify({ parameters, namespaces }), createdAt, by],
    );
    return rows.length > 0;
  }

  async byName(tx: TenantTx, name: string): Promise<NamedQuery | null> {
    const [row] = await tx.sql<Row>(`select ${COLUMNS} from interchange.epcis_query where tenant_id = $1 and name = $2`, [
      tx.tenantId,
      name,
    ]);
    return row ? queryOf(row) : null;
  }

  /** By name. */
  async page(tx: TenantTx, after: string | null, limit: number): Promise<readonly NamedQuery[]> {
    const rows = await tx.sql<Row>(
      `select ${COLUMNS} from interchange.epcis_query where tenant_id = $1 and name > $2 order by name limit $3`,
      [tx.tenantId, after ?? '', limit],
    );
    return rows.map(queryOf);
  }

  async count(tx: TenantTx): Promise<number> {
    const [row] = await tx.sql<{ count: string }>('select count(*) from interchange.epcis_query where tenant_id = $1', [tx.tenantId]);
    return Number(row!.count);
  }

  async delete(tx: TenantTx, name: string): Promise<'deleted' | 'subscribed' | 'unknown'> {
    // A subscription that is being made holds a share of the row.
    const found = await tx.sql('select from interchange.epcis_query where tenant_id = $1 and name = $2 for update', [tx.tenantId, name]);
    if (found.length === 0) return 'unknown';
    const subscribed = await tx.sql('select from interchange.epcis_subscription where tenant_id = $1 and query_name = $2 limit 1', [
      tx.tenantId,
      name,
    ]);
    if (subscribed.length > 0) return 'subscribed';
    await tx.sql('delete from interchange.epcis_query where tenant_id = $1 and name = $2', [tx.tenantId, name]);
    return 'deleted';
  }
}

function queryOf({ query, ...row }: Row): NamedQuery {
  return { ...row, ...(JSON.parse(query) as Pick<NamedQuery, 'parameters' | 'namespaces'>) };
}
